#include "change/testing_tables.h"

static const char *check(struct table_case *c)
{
    struct change_issues issues = {.arena = c->arena};
    struct verdict_input in = {.schema = c->schema,
                               .prior = case_value(c, "prior"),
                               .planned = case_value(c, "planned"),
                               .forced = json_bool(json_get(c->row, "forced"), false)};
    bool ok = change_replace_paths(c->arena, &issues, c->schema, in.prior, in.planned, case_paths(c, "named"), &in.replace);
    const char *problem = agree_issues(c, &issues, "issues");
    if (problem || !ok)
        return problem;
    problem = agree_paths(c, in.replace, "replace");
    const char *action = change_action_name(change_verdict(&in).action);
    struct str want = json_text(json_get(c->row, "action"), STR_EMPTY);
    if (!problem && !str_eqz(want, action))
        problem = arena_printf(c->arena, "got %s, want " STR_FMT, action, STR_ARG(want)).p;
    return problem;
}

static void verdicts_are_those_of_core(void **state)
{
    (void)state;
    run_rule("verdict.jsonl", "verdict", check);
}

static const char schema_text[] =
    "{\"attributes\":{\"name\":{\"type\":\"string\",\"optional\":true},\"wo\":{\"type\":\"string\",\"optional\":true,"
    "\"write_only\":true}}}";

static void both_orders_of_a_replacement_have_their_reason(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(a, schema_text);
    const struct value *v = testing_value(a, s, "{\"name\":\"a\"}"), *w = testing_value(a, s, "{\"name\":\"b\"}");
    struct path name = path_attr(a, PATH_ROOT, STR("name"));
    struct verdict_input in = {.schema = s, .prior = v, .planned = w, .replace = {&name, 1}};
    struct verdict verdict = change_verdict(&in);
    assert_int_equal(verdict.action, ACTION_DELETE_THEN_CREATE);
    assert_string_equal(verdict.reason, "replace_because_cannot_update");
    in.create_before_destroy = true;
    assert_int_equal(change_verdict(&in).action, ACTION_CREATE_THEN_DELETE);
    in.forced = true;
    assert_string_equal(change_verdict(&in).reason, "replace_by_request");
}

static void an_object_that_shall_not_be_is_deleted_once(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(a, schema_text);
    struct verdict_input in = {
        .schema = s, .prior = testing_value(a, s, "{\"name\":\"a\"}"), .planned = testing_value(a, s, "null")};
    assert_int_equal(change_verdict(&in).action, ACTION_DELETE);
    assert_null(change_verdict(&in).reason);
    in.prior = in.planned;
    assert_int_equal(change_verdict(&in).action, ACTION_NO_OP);
}

static void a_change_of_what_is_sensitive_is_an_update(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct schema_block *s = testing_schema(a, schema_text);
    struct path name = path_attr(a, PATH_ROOT, STR("name"));
    struct verdict_input in = {.schema = s,
                               .prior = testing_value(a, s, "{\"name\":\"a\"}"),
                               .planned = testing_value(a, s, "{\"name\":\"a\"}"),
                               .planned_sensitive = marks_make(a, &name, 1)};
    assert_int_equal(change_verdict(&in).action, ACTION_UPDATE);
    in.prior_sensitive = in.planned_sensitive;
    assert_int_equal(change_verdict(&in).action, ACTION_NO_OP);
}

static void actions_are_named_as_in_plan_json(void **state)
{
    (void)state;
    static const struct {
        enum change_action action;
        const char *first, *second, *name;
    } rows[] = {
        {ACTION_NO_OP, "no-op", NULL, "no-op"},
        {ACTION_CREATE, "create", NULL, "create"},
        {ACTION_UPDATE, "update", NULL, "update"},
        {ACTION_DELETE, "delete", NULL, "delete"},
        {ACTION_DELETE_THEN_CREATE, "delete", "create", "replace"},
        {ACTION_CREATE_THEN_DELETE, "create", "delete", "replace"},
        {ACTION_READ, "read", NULL, "read"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *list[3];
        change_action_list(rows[i].action, list);
        assert_string_equal(list[0], rows[i].first);
        if (rows[i].second)
            assert_string_equal(list[1], rows[i].second);
        else
            assert_null(list[1]);
        assert_null(list[2]);
        assert_string_equal(change_action_name(rows[i].action), rows[i].name);
    }
}

static void a_second_plan_holds_unless_it_does_something_else(void **state)
{
    (void)state;
    assert_true(change_action_holds(ACTION_CREATE, ACTION_CREATE));
    assert_true(change_action_holds(ACTION_UPDATE, ACTION_NO_OP));
    assert_false(change_action_holds(ACTION_UPDATE, ACTION_DELETE_THEN_CREATE));
    assert_false(change_action_holds(ACTION_NO_OP, ACTION_UPDATE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_those_of_core),
        cmocka_unit_test(both_orders_of_a_replacement_have_their_reason),
        cmocka_unit_test(an_object_that_shall_not_be_is_deleted_once),
        cmocka_unit_test(a_change_of_what_is_sensitive_is_an_update),
        cmocka_unit_test(actions_are_named_as_in_plan_json),
        cmocka_unit_test(a_second_plan_holds_unless_it_does_something_else),
    };
    return cmocka_run_group_tests_name("change/verdict", tests, NULL, NULL);
}
