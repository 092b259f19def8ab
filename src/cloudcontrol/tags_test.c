#include "cloudcontrol/tags.h"

#include "change/change.h"
#include "cloudcontrol/plan.h"
#include "cloudcontrol/testing_documents.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)

static const struct cc_tag two[] = {{{"team", 4}, {"x", 1}}, {{"own", 3}, {"default", 7}}};
static const struct cc_tags defaults = {two, 2};

static const char list[] = "\"properties\":{\"Name\":{\"type\":\"string\"},\"Tags\":{\"type\":\"array\",\"insertionOrder\":false,"
                           "\"items\":{\"type\":\"object\",\"properties\":{"
                           "\"Key\":{\"type\":\"string\"},\"Value\":{\"type\":\"string\"}},\"required\":[\"Key\",\"Value\"]}}},"
                           "\"tagging\":{\"taggable\":true,\"tagProperty\":\"/properties/Tags\"}";
static const char map[] = "\"properties\":{\"Name\":{\"type\":\"string\"},\"Tags\":{\"type\":\"object\",\"patternProperties\":{"
                          "\"\":{\"type\":\"string\"}}}},"
                          "\"tagging\":{\"taggable\":true,\"tagProperty\":\"/properties/Tags\"}";

static void own_tags_win(void **state)
{
    (void)state;
    ARENA;
    const struct cc_type *type = testing_thing(a, CFN_MODE_DEFAULT, list);
    const struct type *t = type->root->type;
    const struct value *v =
        testing_value(a, t, "{\"name\":\"n\",\"tags\":[{\"key\":\"own\",\"value\":\"1\"},{\"key\":\"a\",\"value\":\"2\"}]}");
    testing_is(a, cc_with_default_tags(a, type, v, defaults),
               "{\"name\":\"n\",\"tags\":[{\"key\":\"own\",\"value\":\"1\"},{\"key\":\"a\",\"value\":\"2\"},{\"key\":\"team\","
               "\"value\":\"x\"}]}");
    testing_is(a, cc_with_default_tags(a, type, testing_value(a, t, "{}"), defaults),
               "{\"tags\":[{\"key\":\"team\",\"value\":\"x\"},{\"key\":\"own\",\"value\":\"default\"}]}");
    testing_is(a, cc_with_default_tags(a, type, testing_value(a, t, "{\"tags\":{\"$\":\"unknown\"}}"), defaults),
               "{\"tags\":{\"$\":\"unknown\"}}");
    testing_is(a, cc_with_default_tags(a, type, v, (struct cc_tags){NULL, 0}), testing_value_text(a, v));

    type = testing_thing(a, CFN_MODE_DEFAULT, map);
    v = testing_value(a, type->root->type, "{\"tags\":{\"own\":\"1\"}}");
    testing_is(a, cc_with_default_tags(a, type, v, defaults), "{\"tags\":{\"own\":\"1\",\"team\":\"x\"}}");
}

static void some_types_have_none(void **state)
{
    (void)state;
    ARENA;
    const char *more =
        "\"properties\":{\"Name\":{\"type\":\"string\"},\"Tags\":{\"type\":\"array\",\"items\":{\"type\":\"object\","
        "\"properties\":{\"Key\":{\"type\":\"string\"},"
        "\"Value\":{\"type\":\"string\"},\"Everywhere\":{\"type\":\"boolean\"}},\"required\":[\"Key\",\"Everywhere\"]}}},"
        "\"tagging\":{\"taggable\":true,\"tagProperty\":\"/properties/Tags\"}";
    assert_true(cc_tags_position(testing_thing(a, CFN_MODE_DEFAULT, list)) != SIZE_MAX);
    assert_true(cc_tags_position(testing_thing(a, CFN_MODE_STRICT, list)) == SIZE_MAX);
    assert_true(cc_tags_position(testing_thing(a, CFN_MODE_DEFAULT, more)) == SIZE_MAX);
    assert_true(cc_tags_position(testing_type(a, CFN_MODE_DEFAULT, list)) == SIZE_MAX); /* it cannot be updated */
    struct str fixed = arena_printf(a, "%s,\"createOnlyProperties\":[\"/properties/Tags\"]", list);
    assert_true(cc_tags_position(testing_thing(a, CFN_MODE_DEFAULT, fixed.p)) == SIZE_MAX);
    assert_true(cc_tags_position(testing_thing(a, CFN_MODE_DEFAULT, "\"properties\":{\"Name\":{\"type\":\"string\"}}")) ==
                SIZE_MAX);
}

static const char *planned_tags(struct arena *a, const char *prior, const char *config)
{
    const struct cc_type *type = testing_thing(a, CFN_MODE_DEFAULT, list);
    const struct type *t = type->root->type;
    struct schema_builder *b = schema_builder_new(a);
    const struct schema_block *schema = cc_schema_resource(b, type)->block;
    struct change_issues issues = {.arena = a};
    struct cc_plan plan;
    struct cc_plan_input in = {
        .prior = testing_value(a, t, prior), .config = testing_value(a, t, config), .default_tags = defaults};
    in.proposed = change_proposed_new(a, schema, in.prior, in.config);
    cc_plan_type(a, type, &in, &plan);
    assert_true(change_check_plan(&issues, schema, in.prior, in.config, plan.planned));
    (void)schema_builder_end(b);
    return testing_value_text(a, value_get(plan.planned, STR("tags")));
}

static void default_tags_come_change_and_go(void **state)
{
    (void)state;
    ARENA;
    static const struct cc_tag old[] = {{STR("team"), STR("")}, {STR("gone"), STR("")}};
    const struct cc_tags former = {old, 2}, none = {NULL, 0};
    const char *const shapes[] = {list, map};
    const char *const before[] = {
        "{\"tags\":[{\"key\":\"gone\",\"value\":\"1\"},{\"key\":\"team\",\"value\":\"y\"},{\"key\":\"a\","
        "\"value\":\"2\"}]}",
        "{\"tags\":{\"gone\":\"1\",\"team\":\"y\",\"a\":\"2\"}}"};
    const char *const after[] = {"[{\"key\":\"team\",\"value\":\"x\"},{\"key\":\"a\",\"value\":\"2\"},{\"key\":\"own\",\"value\":"
                                 "\"default\"}]",
                                 "{\"a\":\"2\",\"own\":\"default\",\"team\":\"x\"}"};
    const char *const without[] = {"[{\"key\":\"a\",\"value\":\"2\"}]", "{\"a\":\"2\"}"};
    for (size_t i = 0; i < 2; i++) {
        const struct cc_type *type = testing_thing(a, CFN_MODE_DEFAULT, shapes[i]);
        const struct cc_node *node = &type->root->children[cc_tags_position(type)];
        const struct value *prior = value_get(testing_value(a, type->root->type, before[i]), STR("tags"));
        const struct value *renewed = cc_tags_renew(a, node, prior, defaults, former);
        assert_string_equal(testing_value_text(a, renewed), after[i]);
        assert_ptr_equal(cc_tags_renew(a, node, renewed, defaults, former), renewed);
        assert_string_equal(testing_value_text(a, cc_tags_renew(a, node, prior, none, former)), without[i]);
    }
}

static void the_record_of_default_tags_is_read_again(void **state)
{
    (void)state;
    ARENA;
    const struct cc_type *type = testing_thing(a, CFN_MODE_DEFAULT, map);
    struct cc_tags read = cc_tags_recorded(a, cc_tags_record(a, type, defaults));
    assert_int_equal(read.n, 2);
    assert_true(str_eqz(read.v[0].key, "team") && str_eqz(read.v[1].key, "own"));
    assert_int_equal(cc_tags_record(a, type, (struct cc_tags){NULL, 0}).n, 0);
    assert_int_equal(cc_tags_record(a, testing_thing(a, CFN_MODE_STRICT, map), defaults).n, 0);
    static const char *const others[] = {"", "imported", "{", "[]", "{\"default_tags\":7}", "{\"default_tags\":null}"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(cc_tags_recorded(a, str_of(others[i])).n, 0);
}

static void plans_know_of_default_tags(void **state)
{
    (void)state;
    ARENA;
    const char *all =
        "[{\"key\":\"a\",\"value\":\"1\"},{\"key\":\"team\",\"value\":\"x\"},{\"key\":\"own\",\"value\":\"default\"}]";
    const char *mine = "[{\"key\":\"a\",\"value\":\"1\"}]";
    struct str config = arena_printf(a, "{\"tags\":%s}", mine), state_all = arena_printf(a, "{\"id\":\"i\",\"tags\":%s}", all);
    /* Configured tags are planned as they are; no change if the state also has the default tags. */
    assert_string_equal(planned_tags(a, "null", config.p), mine);
    assert_string_equal(planned_tags(a, state_all.p, config.p), all);
    assert_string_equal(
        planned_tags(a,
                     "{\"id\":\"i\",\"tags\":[{\"key\":\"own\",\"value\":\"default\"},{\"key\":\"a\",\"value\":\"1\"},{\"key\":"
                     "\"team\",\"value\":\"x\"}]}",
                     config.p),
        "[{\"key\":\"own\",\"value\":\"default\"},{\"key\":\"a\",\"value\":\"1\"},{\"key\":\"team\",\"value\":\"x\"}]");
    /* A default tag is missing or has another value: a change is planned. */
    assert_string_equal(
        planned_tags(a, "{\"id\":\"i\",\"tags\":[{\"key\":\"a\",\"value\":\"1\"},{\"key\":\"team\",\"value\":\"x\"}]}", config.p),
        mine);
    assert_string_equal(planned_tags(a,
                                     "{\"id\":\"i\",\"tags\":[{\"key\":\"a\",\"value\":\"1\"},{\"key\":\"team\",\"value\":\"y\"},"
                                     "{\"key\":\"own\",\"value\":\"default\"}]}",
                                     config.p),
                        mine);
    /* No tags are configured: default tags are planned in addition to the existing ones. */
    assert_string_equal(planned_tags(a, "null", "{}"),
                        "[{\"key\":\"team\",\"value\":\"x\"},{\"key\":\"own\",\"value\":\"default\"}]");
    assert_string_equal(planned_tags(a, state_all.p, "{}"), all);
    assert_string_equal(planned_tags(a, "{\"id\":\"i\",\"tags\":[{\"key\":\"a\",\"value\":\"1\"}]}", "{}"), all);
    assert_string_equal(planned_tags(a, "{\"id\":\"i\",\"tags\":[{\"key\":\"team\",\"value\":\"y\"}]}", "{}"),
                        "[{\"key\":\"team\",\"value\":\"x\"},{\"key\":\"own\",\"value\":\"default\"}]");
    assert_string_equal(planned_tags(a, "null", "{\"tags\":{\"$\":\"unknown\"}}"), "{\"$\":\"unknown\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_tags_win),
        cmocka_unit_test(some_types_have_none),
        cmocka_unit_test(default_tags_come_change_and_go),
        cmocka_unit_test(the_record_of_default_tags_is_read_again),
        cmocka_unit_test(plans_know_of_default_tags),
    };
    return cmocka_run_group_tests_name("cloudcontrol/tags", tests, NULL, NULL);
}
