#include "change/testing_tables.h"

static const char *check(struct table_case *c)
{
    const struct value *v = change_ignore(c->arena, c->schema, case_value(c, "prior"), case_value(c, "config"),
                                          case_paths(c, "paths"), json_bool(json_get(c->row, "all"), false));
    return agree_value(c, v, "result");
}

static void ignored_changes_are_those_of_core(void **state)
{
    (void)state;
    run_rule("ignore.jsonl", "ignore", check);
}

static void all_changes_of_a_legacy_plan_are_taken_back(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(
        a, "{\"attributes\":{\"name\":{\"type\":\"string\",\"optional\":true},\"id\":{\"type\":\"string\",\"computed\":true}}}");
    const struct value *prior = testing_value(a, s, "{\"name\":\"a\",\"id\":\"1\"}");
    const struct value *planned = testing_value(a, s, "{\"name\":\"hash\",\"id\":\"2\"}");
    struct path name = path_attr(a, PATH_ROOT, STR("name"));
    assert_ptr_equal(change_ignore(a, NULL, prior, planned, (struct change_paths){NULL, 0}, true), prior);
    const struct value *v = change_ignore(a, NULL, prior, planned, (struct change_paths){&name, 1}, false);
    assert_true(value_raw_eq(v, testing_value(a, s, "{\"name\":\"a\",\"id\":\"2\"}")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ignored_changes_are_those_of_core),
        cmocka_unit_test(all_changes_of_a_legacy_plan_are_taken_back),
    };
    return cmocka_run_group_tests_name("change/ignore", tests, NULL, NULL);
}
