#include "change/testing_tables.h"

static const char *check(struct table_case *c)
{
    struct marks got = change_sensitive(c->arena, c->schema, case_value(c, "value"));
    return agree_paths(c, (struct change_paths){got.paths, got.n}, "paths");
}

static void sensitive_paths_are_those_of_core(void **state)
{
    (void)state;
    run_rule("sensitive.jsonl", "sensitive", check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sensitive_paths_are_those_of_core),
    };
    return cmocka_run_group_tests_name("change/sensitive", tests, NULL, NULL);
}
