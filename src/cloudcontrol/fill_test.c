#include "cloudcontrol/fill.h"

#include "cloudcontrol/document.h"
#include "cloudcontrol/testing_documents.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)

/* --- facts --- */

static void unknowns_are_filled_as_in_awscc(void **state)
{
    (void)state;
    ARENA;
    testing_each_case(a, "unknown.json", c)
    {
        struct diags diags;
        diags_init(&diags, a);
        const struct cc_node *root =
            testing_node(a, json_get(c, "type"), &(struct testing_shape){json_get(c, "names"), json_get(c, "json"), CC_ORDERED});
        const struct value *v = testing_value_of(a, root->type, json_get(c, "value"));
        if (str_eqz(testing_member(c, "op"), "paths")) /* a separate step in awscc; here one walk fills all unknowns */
            continue;
        const struct value *read = cc_document_read(a, root, json_get(c, "model"), NULL, &diags);
        testing_no_errors(&diags);
        testing_same(a, cc_fill(a, root, v, read), testing_value_of(a, root->type, json_get(c, "out")));
    }
}

/* --- our own --- */

static const char things[] =
    "\"definitions\":{\"Rule\":{\"type\":\"object\",\"properties\":{\"A\":{\"type\":\"string\"},\"B\":{\"type\":\"string\"},"
    "\"Secret\":{\"type\":\"string\"},"
    "\"Id\":{\"type\":\"string\"}}}},"
    "\"properties\":{\"Name\":{\"type\":\"string\"},\"Policy\":{\"type\":\"object\"},\"Size\":{\"type\":\"integer\"},\"Arn\":{"
    "\"type\":\"string\"},"
    "\"Bag\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"type\":\"string\"}},"
    "\"Rules\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"$ref\":\"#/definitions/Rule\"}},"
    "\"Chain\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/Rule\"}},"
    "\"Set\":{\"type\":\"array\",\"insertionOrder\":false,\"uniqueItems\":true,\"items\":{\"$ref\":\"#/definitions/Rule\"}},"
    "\"Named\":{\"type\":\"object\",\"patternProperties\":{\"\":{\"$ref\":\"#/definitions/Rule\"}}},"
    "\"One\":{\"$ref\":\"#/definitions/Rule\"}},"
    "\"readOnlyProperties\":[\"/properties/Arn\",\"/properties/Rules/*/Id\"],\"writeOnlyProperties\":[\"/properties/Rules/*/"
    "Secret\","
    "\"/properties/One/Secret\"]";

#define UNKNOWN "{\"$\":\"unknown\"}"

struct fill_case {
    const char *what, *planned, *read, *result;
};

static const struct fill_case cases[] = {
    {"what is unknown", "{\"name\":\"n\",\"arn\":" UNKNOWN ",\"size\":" UNKNOWN "}", "{\"name\":\"n\",\"arn\":\"x\"}",
     "{\"name\":\"n\",\"arn\":\"x\"}"},
    {"what is known stays, null too", "{\"name\":\"N\",\"size\":null,\"policy\":\"{ }\"}",
     "{\"name\":\"n\",\"size\":5,\"policy\":\"{}\"}", "{\"name\":\"N\",\"policy\":\"{ }\"}"},
    {"an empty list that the service leaves out", "{\"bag\":[],\"rules\":[]}", "{}", "{\"bag\":[],\"rules\":[]}"},
    {"an unordered list that nobody planned is in order", "{\"bag\":" UNKNOWN "}", "{\"bag\":[\"b\",\"a\"]}",
     "{\"bag\":[\"a\",\"b\"]}"},
    {"elements in another order",
     "{\"rules\":[{\"a\":\"2\",\"b\":" UNKNOWN ",\"id\":" UNKNOWN "},{\"a\":\"1\",\"b\":\"x\",\"id\":" UNKNOWN
     ",\"secret\":\"s\"}]}",
     "{\"rules\":[{\"a\":\"1\",\"b\":\"x\",\"id\":\"i1\"},{\"a\":\"2\",\"b\":\"y\",\"id\":\"i2\"}]}",
     "{\"rules\":[{\"a\":\"2\",\"b\":\"y\",\"id\":\"i2\"},{\"a\":\"1\",\"b\":\"x\",\"id\":\"i1\",\"secret\":\"s\"}]}"},
    {"an element that the service does not have", "{\"rules\":[{\"a\":\"2\",\"id\":" UNKNOWN "}]}",
     "{\"rules\":[{\"a\":\"1\",\"id\":\"i1\"}]}", "{\"rules\":[{\"a\":\"2\"}]}"},
    {"elements of an ordered list by their place, whatever the service made of them",
     "{\"chain\":[{\"a\":\"X\",\"id\":" UNKNOWN "}]}", "{\"chain\":[{\"a\":\"x\",\"id\":\"i\"}]}",
     "{\"chain\":[{\"a\":\"X\",\"id\":\"i\"}]}"},
    {"... unless there are more or fewer", "{\"chain\":[{\"a\":\"1\",\"id\":" UNKNOWN "},{\"a\":\"2\",\"id\":" UNKNOWN "}]}",
     "{\"chain\":[{\"a\":\"2\",\"id\":\"i\"}]}", "{\"chain\":[{\"a\":\"1\"},{\"a\":\"2\",\"id\":\"i\"}]}"},
    {"sets", "{\"set\":[{\"a\":\"1\",\"id\":" UNKNOWN "},{\"a\":\"2\",\"id\":" UNKNOWN "}]}",
     "{\"set\":[{\"a\":\"1\",\"id\":\"i1\"},{\"a\":\"2\",\"id\":\"i2\"}]}",
     "{\"set\":[{\"a\":\"1\",\"id\":\"i1\"},{\"a\":\"2\",\"id\":\"i2\"}]}"},
    {"maps by key", "{\"named\":{\"x\":{\"id\":" UNKNOWN "},\"y\":{\"id\":" UNKNOWN "}}}", "{\"named\":{\"y\":{\"id\":\"i\"}}}",
     "{\"named\":{\"x\":{},\"y\":{\"id\":\"i\"}}}"},
    {"what the service never gives back", "{\"one\":{\"secret\":" UNKNOWN ",\"a\":" UNKNOWN "}}", "{\"one\":{\"a\":\"1\"}}",
     "{\"one\":{\"a\":\"1\"}}"},
    {"an object that is not there", "{\"one\":{\"b\":" UNKNOWN "}}", "{}", "{\"one\":{}}"},
    {"all of an object", "{\"one\":" UNKNOWN "}", "{\"one\":{\"a\":\"1\"}}", "{\"one\":{\"a\":\"1\"}}"},
};

static void a_result_is_the_plan_without_unknowns(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct fill_case *c = &cases[i];
        const struct value *got =
            cc_fill(a, root, testing_value(a, root->type, c->planned), testing_value(a, root->type, c->read));
        const struct value *want = testing_value(a, root->type, c->result);
        if (!value_raw_eq(got, want))
            fail_msg("%s: got %s, want %s", c->what, testing_value_text(a, got), testing_value_text(a, want));
        assert_true(cc_fill(a, root, testing_value(a, root->type, c->planned), NULL)->wholly_known);
    }
}

static void what_the_service_changed_is_named(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    const struct value *sent =
        testing_value(a, root->type,
                      "{\"name\":\"Name\",\"policy\":\"{ }\",\"bag\":[\"b\",\"a\"],\"arn\":\"x\",\"size\":" UNKNOWN
                      ",\"one\":{\"a\":\"1\",\"b\":\"2\",\"secret\":\"s\"},\"rules\":[{\"a\":\"1\",\"id\":\"old\"}]}");
    const struct value *read = testing_value(
        a, root->type,
        "{\"name\":\"name\",\"policy\":\"{}\",\"bag\":[\"a\",\"b\"],\"arn\":\"y\",\"size\":1,\"one\":{\"a\":\"1\",\"b\":\"3\"},"
        "\"rules\":[{\"a\":\"1\",\"id\":\"new\",\"b\":\"by the service\"}]}");
    struct cc_paths changed = cc_changed(a, root, sent, read);
    assert_int_equal(changed.n, 2);
    assert_string_equal(path_text(a, changed.v[0]).p, "name");
    assert_string_equal(path_text(a, changed.v[1]).p, "one.b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unknowns_are_filled_as_in_awscc),
        cmocka_unit_test(a_result_is_the_plan_without_unknowns),
        cmocka_unit_test(what_the_service_changed_is_named),
    };
    return cmocka_run_group_tests_name("cloudcontrol/fill", tests, NULL, NULL);
}
