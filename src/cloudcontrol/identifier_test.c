#include "cloudcontrol/identifier.h"

#include "cloudcontrol/testing_documents.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)

static void texts_are_those_of_awscc(void **state)
{
    (void)state;
    ARENA;
    testing_each_case(a, "identity_value.json", c)
    {
        struct diags diags;
        diags_init(&diags, a);
        const struct type *t = type_from_json(a, json_get(c, "type"), &diags);
        assert_true(str_eq(cc_identifier_text(a, testing_value_of(a, t, json_get(c, "value"))), testing_member(c, "out")));
    }
}

static const struct cc_type *thing(struct arena *a, const char *identifier)
{
    struct str text = arena_printf(
        a,
        "{\"typeName\":\"AWS::Test::Thing\",\"primaryIdentifier\":[%s],\"properties\":{\"Name\":{\"type\":\"string\"},"
        "\"Number\":{\"type\":\"integer\"},\"Region\":{\"type\":\"string\"},\"Plan\":{\"type\":\"object\",\"properties\":{"
        "\"PlanId\":{"
        "\"type\":\"string\"}}}}}",
        identifier);
    return cc_translate(a, testing_cfn(a, text.p), CFN_MODE_DEFAULT);
}

static const struct type *identity_type(struct arena *a, const struct cc_type *type)
{
    struct schema_builder *b = schema_builder_new(a);
    const struct type *t = cc_schema_identity(b, type)->type;
    (void)schema_builder_end(b);
    return t;
}

static const char composite[] = "\"/properties/Name\",\"/properties/Plan/PlanId\",\"/properties/Number\"";

static void an_object_has_its_id(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = thing(a, composite)->root;
    const struct value *imported = cc_import_object(a, root, STR("a|b"));
    testing_is(a, imported, "{\"id\":\"a|b\"}");
    assert_string_equal(cc_id_of(root, imported).p, "a|b");
    testing_is(a, cc_with_id(a, root, testing_value(a, root->type, "{\"name\":\"n\",\"id\":{\"$\":\"unknown\"}}"), STR("i")),
               "{\"name\":\"n\",\"id\":\"i\"}");
    assert_int_equal(cc_id_of(root, testing_value(a, root->type, "{}")).n, 0);
}

static void an_identity_is_the_id_in_parts(void **state)
{
    (void)state;
    ARENA;
    const struct cc_type *type = thing(a, composite);
    const struct type *t = identity_type(a, type);
    const struct value *object = testing_value(a, type->root->type, "{\"name\":\"n\",\"number\":7,\"plan\":{\"plan_id\":\"p\"}}");
    const char *want = "{\"account_id\":\"1\",\"region\":\"r\",\"name\":\"n\",\"plan_plan_id\":\"p\",\"number\":\"7\"}";
    testing_is(a, cc_identity(a, type, t, object, STR_EMPTY, STR("1"), STR("r")), want);
    testing_is(a, cc_identity(a, type, t, NULL, STR("n|p|7"), STR("1"), STR("r")), want);
    /* Parts that are unknown are null. */
    testing_is(a, cc_identity(a, type, t, NULL, STR("n|p"), STR("1"), STR("r")), "{\"account_id\":\"1\",\"region\":\"r\"}");
    testing_is(a, cc_identity(a, type, t, NULL, STR("n|p|7|8"), STR("1"), STR("r")), "{\"account_id\":\"1\",\"region\":\"r\"}");

    const struct cc_type *single = thing(a, "\"/properties/Name\"");
    testing_is(a, cc_identity(a, single, identity_type(a, single), NULL, STR("a|b"), STR("1"), STR_EMPTY),
               "{\"account_id\":\"1\",\"name\":\"a|b\"}");
}

static void an_identity_names_an_id(void **state)
{
    (void)state;
    ARENA;
    struct diags diags;
    struct str id;
    const struct cc_type *type = thing(a, composite);
    const struct type *t = identity_type(a, type);
    diags_init(&diags, a);
    const struct value *identity = testing_value(a, t, "{\"name\":\"n\",\"plan_plan_id\":\"p\",\"number\":\"7\"}");
    assert_true(cc_identity_to_id(a, type, identity, STR("1"), STR("r"), &diags, &id));
    assert_string_equal(id.p, "n|p|7");
    identity =
        testing_value(a, t, "{\"name\":\"n\",\"plan_plan_id\":\"p\",\"number\":\"7\",\"account_id\":\"1\",\"region\":\"r\"}");
    assert_true(cc_identity_to_id(a, type, identity, STR("1"), STR("r"), &diags, &id));
    testing_no_errors(&diags);

    assert_false(cc_identity_to_id(a, type, identity, STR("2"), STR("r"), &diags, &id));
    testing_says(&diags, "account_id \"1\"");
    assert_false(cc_identity_to_id(a, type, identity, STR("1"), STR("s"), &diags, &id));
    testing_says(&diags, "region \"r\"");
    assert_false(
        cc_identity_to_id(a, type, testing_value(a, t, "{\"name\":\"n\",\"number\":\"7\"}"), STR("1"), STR("r"), &diags, &id));
    testing_says(&diags, "\"plan_plan_id\"");
    assert_int_equal(diags.n, 3);
}

static void a_property_may_be_called_region(void **state)
{
    (void)state;
    ARENA;
    struct diags diags;
    struct str id;
    diags_init(&diags, a);
    const struct cc_type *type = thing(a, "\"/properties/Name\",\"/properties/Region\"");
    struct type_attr attrs[] = {
        {STR("account_id"), &type_string, false}, {STR("name"), &type_string, false}, {STR("region"), &type_string, false}};
    const struct type *t = type_object(a, attrs, 3);
    const struct value *identity = cc_identity(a, type, t, NULL, STR("n|theirs"), STR("1"), STR("ours"));
    testing_is(a, identity, "{\"account_id\":\"1\",\"name\":\"n\",\"region\":\"theirs\"}");
    assert_true(cc_identity_to_id(a, type, identity, STR("1"), STR("ours"), &diags, &id));
    assert_string_equal(id.p, "n|theirs");
}

/* Account and region may be omitted, even if they are part of the id. */
static void the_account_of_an_identity_is_ours_if_it_says_nothing(void **state)
{
    (void)state;
    ARENA;
    struct diags diags;
    struct str id;
    diags_init(&diags, a);
    const char *text =
        "{\"typeName\":\"AWS::IoT::Thing\",\"primaryIdentifier\":[\"/properties/Name\",\"/properties/AccountId\",\"/properties/"
        "Region\"],\"properties\":{\"Name\":{\"type\":\"string\"},\"AccountId\":{\"type\":\"string\"},\"Region\":{\"type\":"
        "\"string\"}}}";
    const struct cc_type *type = cc_translate(a, testing_cfn(a, text), CFN_MODE_STRICT);
    const struct type *t = identity_type(a, type);
    assert_true(cc_identity_to_id(a, type, testing_value(a, t, "{\"name\":\"n\"}"), STR("1"), STR("r"), &diags, &id));
    assert_string_equal(id.p, "n|1|r");
    const struct value *theirs = testing_value(a, t, "{\"name\":\"n\",\"account_id\":\"2\"}");
    assert_true(cc_identity_to_id(a, type, theirs, STR("1"), STR("r"), &diags, &id));
    assert_string_equal(id.p, "n|2|r");
    testing_no_errors(&diags);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_those_of_awscc),
        cmocka_unit_test(an_object_has_its_id),
        cmocka_unit_test(an_identity_is_the_id_in_parts),
        cmocka_unit_test(an_identity_names_an_id),
        cmocka_unit_test(a_property_may_be_called_region),
        cmocka_unit_test(the_account_of_an_identity_is_ours_if_it_says_nothing),
    };
    return cmocka_run_group_tests_name("cloudcontrol/identifier", tests, NULL, NULL);
}
