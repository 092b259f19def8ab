#include "change/testing_tables.h"

static const char *check_new(struct table_case *c)
{
    return agree_value(c, change_proposed_new(c->arena, c->schema, case_value(c, "prior"), case_value(c, "config")), "result");
}

static void proposed_objects_are_those_of_core(void **state)
{
    (void)state;
    run_rule("proposed.jsonl", "proposed", check_new);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(proposed_objects_are_those_of_core),
    };
    return cmocka_run_group_tests_name("change/proposed", tests, NULL, NULL);
}
