#include "cloudcontrol/validate.h"

#include "cloudcontrol/testing_documents.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)

static void not_null_is_as_in_awscc(void **state)
{
    (void)state;
    ARENA;
    static const struct cc_validator not_null = {.kind = CC_V_NOT_NULL};
    testing_each_case(a, "validators.json", c)
    {
        struct diags diags;
        diags_init(&diags, a);
        struct cc_node *node = (struct cc_node *)testing_node(a, json_get(c, "type"), &(struct testing_shape){0});
        node->validators = &not_null;
        node->n_validators = 1;
        struct path at = path_attr(a, PATH_ROOT, STR("test"));
        cc_validate_node(a, node, testing_value_of(a, node->type, json_get(c, "value")), at, NULL, &diags);
        const struct json *error = json_get(c, "error");
        assert_int_equal(diags.n, error->kind == JSON_OBJECT);
        if (diags.n == 0)
            continue;
        assert_true(str_eq(diags.v[0].summary, testing_member(error, "summary")));
        assert_true(str_eq(diags.v[0].detail, testing_member(error, "detail")));
        assert_true(path_eq(diags.v[0].path, at));
    }
}

static const char things[] =
    "\"properties\":{\"Name\":{\"type\":\"string\",\"minLength\":2},\"Arn\":{\"type\":\"string\"},\"Bare\":{\"type\":\"string\"},"
    "\"Rules\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"A\":{\"type\":\"string\"},\"B\":{\"type\":"
    "\"string\"}},\"required\":[\"A\"]}}},"
    "\"required\":[\"Name\",\"Rules\"],\"readOnlyProperties\":[\"/properties/Arn\"]";

static void what_must_be_there_is_there(void **state)
{
    (void)state;
    ARENA;
    struct diags diags;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    diags_init(&diags, a);
    cc_validate_config(a, root, testing_value(a, root->type, "{\"name\":\"nn\",\"rules\":[{\"a\":\"\"}]}"), NULL, &diags);
    cc_validate_config(a, root, testing_value(a, root->type, "{\"name\":{\"$\":\"unknown\"},\"rules\":{\"$\":\"unknown\"}}"),
                       NULL, &diags);
    testing_no_errors(&diags);

    cc_validate_config(a, root, testing_value(a, root->type, "{\"arn\":\"x\",\"rules\":[{\"b\":\"\"}]}"), NULL, &diags);
    assert_int_equal(diags.n, 3);
    assert_string_equal(diags.v[0].summary.p, "Invalid Configuration for Read-Only Attribute");
    assert_string_equal(path_text(a, diags.v[0].path).p, "arn");
    assert_string_equal(diags.v[1].summary.p, "Missing Configuration for Required Attribute");
    testing_says(&diags, "Must set a configuration value for the name attribute");
    testing_says(&diags, "Must set a configuration value for the rules[0].a attribute");
}

static void validators_run_too(void **state)
{
    (void)state;
    ARENA;
    struct diags diags;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    diags_init(&diags, a);
    cc_validate_config(a, root, testing_value(a, root->type, "{\"name\":\"n\",\"rules\":[]}"), cc_patterns_new(a), &diags);
    testing_says(&diags, "Attribute name string length must be at least 2, got: 1");
}

static void timeouts_are_times(void **state)
{
    (void)state;
    ARENA;
    struct diags diags;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    static const char good[] =
        "{\"name\":\"nn\",\"rules\":[],\"timeouts\":{\"create\":\"1h30m\",\"update\":{\"$\":\"unknown\"}}}";
    static const char bad[] =
        "{\"name\":\"nn\",\"rules\":[],\"timeouts\":{\"create\":\"banana\",\"delete\":\"0s\",\"update\":\"-5m\"}}";
    diags_init(&diags, a);
    cc_validate_config(a, root, testing_value(a, root->type, good), NULL, &diags);
    testing_no_errors(&diags);
    cc_validate_config(a, root, testing_value(a, root->type, bad), NULL, &diags);
    assert_int_equal(diags.n, 3);
    assert_string_equal(path_text(a, diags.v[0].path).p, "timeouts.create");
    testing_says(&diags, "\"banana\" is not a valid duration");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(not_null_is_as_in_awscc),
        cmocka_unit_test(what_must_be_there_is_there),
        cmocka_unit_test(validators_run_too),
        cmocka_unit_test(timeouts_are_times),
    };
    return cmocka_run_group_tests_name("cloudcontrol/validate", tests, NULL, NULL);
}
