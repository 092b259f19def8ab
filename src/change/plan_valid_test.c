#include "change/testing_tables.h"

static const char *check(struct table_case *c)
{
    struct change_issues issues = {.arena = c->arena};
    bool ok = change_check_plan(&issues, c->schema, case_value(c, "prior"), case_value(c, "config"), case_value(c, "planned"));
    if (ok != (issues.n == 0))
        return "the answer and the issues disagree";
    return agree_issues(c, &issues, "issues");
}

static void issues_of_plans_are_those_of_core(void **state)
{
    (void)state;
    run_rule("plan_valid.jsonl", "plan_valid", check);
}

/* OpenTofu refuses these in another way; the messages are Terraform's. */
static void a_write_only_attribute_is_planned_null(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(
        a, "{\"attributes\":{\"wo\":{\"type\":\"string\",\"optional\":true,\"write_only\":true}},\"block_types\":{\"b\":{"
           "\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"wo\":{\"type\":\"string\",\"optional\":true,\"write_only\":"
           "true}}}}}}");
    const struct value *config = testing_value(a, s, "{\"wo\":\"secret\",\"b\":[{\"wo\":\"secret\"}]}");
    const struct value *prior = testing_value(a, s, "null");
    struct change_issues issues = {.arena = a};
    assert_true(change_check_plan(&issues, s, prior, config, testing_value(a, s, "{\"b\":[{}]}")));
    assert_false(change_check_plan(&issues, s, prior, config, config));
    assert_int_equal(issues.n, 1); /* equal blocks are not compared in detail */
    assert_string_equal(change_issue_text(a, STR("t.this"), &issues.v[0]).p,
                        "t.this.wo: planned value for write-only attribute is not null");
}

static void secrets_inside_of_values_are_not_shown(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(
        a,
        "{\"attributes\":{\"x\":{\"optional\":true,\"nested_type\":{\"nesting_mode\":\"list\",\"attributes\":{\"key\":{\"type\":"
        "\"string\",\"optional\":true,\"sensitive\":true},\"name\":{\"type\":\"string\",\"optional\":true}}}}},\"block_types\":{"
        "\"b\":{\"nesting_mode\":\"map\",\"block\":{\"attributes\":{\"key\":{\"type\":\"string\",\"optional\":true,"
        "\"sensitive\":true}}}}}}");
    const struct value *config = testing_value(a, s, "{\"b\":{\"$unknown\":{}}}");
    const struct value *planned =
        testing_value(a, s, "{\"x\":[{\"key\":\"hunter2\",\"name\":\"n\"}],\"b\":{\"k\":{\"key\":\"hunter2\"}}}");
    struct change_issues issues = {.arena = a};
    assert_false(change_check_plan(&issues, s, testing_value(a, s, "null"), config, planned));
    assert_int_equal(issues.n, 2);
    assert_string_equal(issues.v[0].text.p,
                        "planned value cty.ListVal([]cty.Value{cty.ObjectVal(map[string]cty.Value{\"key\":(sensitive value), "
                        "\"name\":cty.StringVal(\"n\")})}) for a non-computed attribute");
    assert_string_equal(
        issues.v[1].text.p,
        "planned value cty.MapVal(map[string]cty.Value{\"k\":cty.ObjectVal(map[string]cty.Value{\"key\":(sensitive "
        "value)})}) for unknown dynamic block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(issues_of_plans_are_those_of_core),
        cmocka_unit_test(a_write_only_attribute_is_planned_null),
        cmocka_unit_test(secrets_inside_of_values_are_not_shown),
    };
    return cmocka_run_group_tests_name("change/plan_valid", tests, NULL, NULL);
}
