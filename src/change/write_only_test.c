#include "change/testing_tables.h"

static const char *check(struct table_case *c)
{
    return agree_paths(c, change_write_only(c->arena, c->schema, case_value(c, "value")), "paths");
}

static void write_only_attributes_are_found_as_core_finds_them(void **state)
{
    (void)state;
    run_rule("write_only.jsonl", "write_only", check);
}

static void blocks_kept_in_an_object_are_found_too(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(
        a, "{\"block_types\":{\"b\":{\"nesting_mode\":\"map\",\"block\":{\"attributes\":{\"any\":{\"type\":\"dynamic\","
           "\"optional\":true},\"wo\":{\"type\":\"string\",\"optional\":true,\"write_only\":true}}}}}}");
    const struct value *v = testing_value(a, s, "{\"b\":{\"wo\":{\"wo\":\"secret\"},\"k\":{}}}");
    struct change_paths found = change_write_only(a, s, v);
    assert_int_equal(found.n, 1);
    assert_string_equal(change_path_text(a, found.v[0]).p, ".b.wo.wo");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(write_only_attributes_are_found_as_core_finds_them),
        cmocka_unit_test(blocks_kept_in_an_object_are_found_too),
    };
    return cmocka_run_group_tests_name("change/write_only", tests, NULL, NULL);
}
