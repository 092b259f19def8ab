#include "change/testing_tables.h"

static const char *check(struct table_case *c)
{
    struct change_issues issues = {.arena = c->arena};
    bool ok = change_check_result(&issues, c->schema, case_value(c, "planned"), case_value(c, "actual"));
    if (ok != (issues.n == 0))
        return "the answer and the issues disagree";
    return agree_issues(c, &issues, "issues");
}

static void issues_of_results_are_those_of_core(void **state)
{
    (void)state;
    run_rule("compatible.jsonl", "compatible", check);
}

static void secrets_in_a_set_are_not_shown(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(
        a, "{\"block_types\":{\"b\":{\"nesting_mode\":\"set\",\"block\":{\"attributes\":{\"key\":{\"type\":\"string\","
           "\"optional\":true,\"sensitive\":true},\"name\":{\"type\":\"string\",\"optional\":true}}}}}}");
    struct change_issues issues = {.arena = a};
    assert_false(change_check_result(&issues, s, testing_value(a, s, "{\"b\":[{\"name\":\"n\",\"key\":\"hunter2\"}]}"),
                                     testing_value(a, s, "{\"b\":[{\"name\":\"m\",\"key\":\"hunter2\"}]}")));
    assert_int_equal(issues.n, 1);
    assert_string_equal(change_issue_text(a, STR("t.this"), &issues.v[0]).p,
                        "t.this.b: planned set element cty.ObjectVal(map[string]cty.Value{\"key\":(sensitive value), "
                        "\"name\":cty.StringVal(\"n\")}) does not correlate with any element in actual");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(issues_of_results_are_those_of_core),
        cmocka_unit_test(secrets_in_a_set_are_not_shown),
    };
    return cmocka_run_group_tests_name("change/compatible", tests, NULL, NULL);
}
