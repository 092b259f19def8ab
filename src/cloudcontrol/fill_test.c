#include "cloudcontrol/fill.h"

#include "cloudcontrol/document.h"
#include "cloudcontrol/testing_documents.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)

/* --- facts --- */

/* A path of facts against the type: texts are attributes or keys, numbers are positions. */
static struct path path_of(struct arena *a, const struct type *t, const struct json *steps)
{
    struct path path = PATH_ROOT;
    for (size_t i = 0; i < steps->array.n; i++) {
        const struct json *step = steps->array.items[i];
        if (step->kind == JSON_NUMBER)
            path = path_index(a, path, json_int(step, -1));
        else if (t->kind == TYPE_OBJECT)
            path = path_attr(a, path, step->text);
        else
            path = path_key(a, path, step->text);
        size_t at = t->kind == TYPE_OBJECT ? type_attr_find(t, step->text) : SIZE_MAX;
        t = t->kind != TYPE_OBJECT ? t->element : at != SIZE_MAX ? t->attrs[at].type : t;
    }
    return path;
}

static bool has_path(const struct cc_paths *paths, struct path path)
{
    for (size_t i = 0; i < paths->n; i++)
        if (path_eq(paths->v[i], path))
            return true;
    return false;
}

static void unknowns_are_found_and_filled_as_in_awscc(void **state)
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
        const struct json *out = json_get(c, "out");
        if (str_eqz(testing_member(c, "op"), "paths")) {
            struct cc_paths got = cc_unknown_paths(a, v);
            assert_int_equal(got.n, out->array.n);
            for (size_t i = 0; i < out->array.n; i++)
                assert_true(has_path(&got, path_of(a, root->type, out->array.items[i])));
        } else {
            const struct value *read = cc_document_read(a, root, json_get(c, "model"), NULL, &diags);
            testing_no_errors(&diags);
            testing_same(a, cc_fill(a, root, v, read), testing_value_of(a, root->type, out));
        }
    }
}

static void paths_are_copied_as_in_awscc(void **state)
{
    (void)state;
    ARENA;
    testing_each_case(a, "copy_path.json", c)
    {
        struct diags diags;
        diags_init(&diags, a);
        const struct type *t = type_from_json(a, json_get(c, "type"), &diags);
        const struct value *from = testing_value_of(a, t, json_get(c, "from")), *to = testing_value_of(a, t, json_get(c, "to"));
        const struct value *got = NULL;
        bool ok = cc_copy_path(a, from, to, path_of(a, t, json_get(c, "path")), &got);
        assert_int_equal(ok, !json_bool(json_get(c, "error"), false));
        if (ok)
            testing_same(a, got, testing_value_of(a, t, json_get(c, "out")));
    }
}

static void parts_of_lists_and_maps_are_copied_too(void **state)
{
    (void)state;
    ARENA;
    struct diags diags;
    diags_init(&diags, a);
    const struct type *t = type_parse(
        a, STR("[\"object\",{\"l\":[\"list\",\"string\"],\"m\":[\"map\",\"string\"],\"s\":[\"set\",\"string\"]}]"), &diags);
    const struct value *from = testing_value(a, t, "{\"l\":[\"1\",\"2\"],\"m\":{\"k\":\"v\"},\"s\":[\"x\"]}");
    const struct value *to = testing_value(a, t, "{\"l\":[\"a\",\"a\"],\"m\":{\"j\":\"w\",\"k\":\"x\"},\"s\":[\"x\"]}"),
                       *got = to;
    struct path list = path_attr(a, PATH_ROOT, STR("l")), map = path_attr(a, PATH_ROOT, STR("m"));
    assert_true(cc_copy_path(a, from, to, path_index(a, list, 1), &got));
    assert_true(cc_copy_path(a, from, got, path_key(a, map, STR("k")), &got));
    testing_is(a, got, "{\"l\":[\"a\",\"2\"],\"m\":{\"j\":\"w\",\"k\":\"v\"},\"s\":[\"x\"]}");
    assert_false(cc_copy_path(a, from, to, path_index(a, list, 2), &got));
    assert_false(cc_copy_path(a, from, to, path_key(a, map, STR("j")), &got));
    const struct value *element = value_string(a, STR("x"));
    assert_false(cc_copy_path(a, from, to, path_element(a, path_attr(a, PATH_ROOT, STR("s")), element), &got));
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
        cmocka_unit_test(unknowns_are_found_and_filled_as_in_awscc), cmocka_unit_test(paths_are_copied_as_in_awscc),
        cmocka_unit_test(parts_of_lists_and_maps_are_copied_too),    cmocka_unit_test(a_result_is_the_plan_without_unknowns),
        cmocka_unit_test(what_the_service_changed_is_named),
    };
    return cmocka_run_group_tests_name("cloudcontrol/fill", tests, NULL, NULL);
}
