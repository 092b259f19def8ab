#include "change/testing_tables.h"

static const char *check(struct table_case *c)
{
    return agree_value(c, change_normalise_legacy(c->arena, c->schema, case_value(c, "value")), "result");
}

static void normalised_objects_are_those_of_core(void **state)
{
    (void)state;
    run_rule("normalise.jsonl", "normalise", check);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(normalised_objects_are_those_of_core),
    };
    return cmocka_run_group_tests_name("change/normalise", tests, NULL, NULL);
}
