#include "cloudcontrol/compare.h"

#include "cloudcontrol/testing_documents.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)

static const char things[] = "\"properties\":{\"Name\":{\"type\":\"string\"},\"Size\":{\"type\":\"number\"},\"When\":{\"type\":"
                             "\"string\",\"format\":\"date-time\"},"
                             "\"Policy\":{\"type\":\"object\"},\"Either\":{\"type\":[\"object\",\"string\"]},\"Labels\":{"
                             "\"type\":\"object\",\"patternProperties\":{\"\":{"
                             "\"type\":\"string\"}}},"
                             "\"Steps\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
                             "\"Bag\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"type\":\"string\"}},"
                             "\"Set\":{\"type\":\"array\",\"insertionOrder\":false,\"uniqueItems\":true,\"items\":{\"type\":"
                             "\"string\",\"format\":\"date-time\"}},"
                             "\"Rules\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"type\":\"object\","
                             "\"properties\":{\"A\":{\"type\":\"string\"},"
                             "\"B\":{\"type\":\"string\"},\"D\":{\"type\":\"string\",\"default\":\"d\"},\"Secret\":{\"type\":"
                             "\"string\"},\"Ports\":{\"type\":\"array\","
                             "\"insertionOrder\":false,\"items\":{\"type\":\"integer\"}},\"Empty\":{\"type\":\"object\","
                             "\"properties\":{\"X\":{\"type\":\"string\"}}}}}}},"
                             "\"writeOnlyProperties\":[\"/properties/Rules/*/Secret\"]";

/* Terraform has no types for the deepest Kids, and none for an array of arrays of objects: texts. */
static const char trees[] =
    "\"definitions\":{\"Tree\":{\"type\":\"object\",\"properties\":{\"Name\":{\"type\":\"string\"},"
    "\"Kids\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"$ref\":\"#/definitions/Tree\"}},"
    "\"Steps\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"Bags\":{\"type\":\"object\",\"patternProperties\":{\".*\":{\"type\":\"array\",\"insertionOrder\":false,"
    "\"items\":{\"type\":\"number\"}}}}}}},"
    "\"properties\":{\"Tree\":{\"$ref\":\"#/definitions/Tree\"},"
    "\"Grid\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{"
    "\"type\":\"object\",\"properties\":{\"X\":{\"type\":\"integer\"}}}}},"
    "\"Either\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"oneOf\":[{\"type\":\"object\","
    "\"properties\":{\"A\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"type\":\"string\"}}}},"
    "{\"$ref\":\"#/definitions/Nothing\"}]}}}}";

struct pair_case {
    const char *x, *y;
    bool equal;
};

static const struct pair_case pairs[] = {
    {"{\"size\":1}", "{\"size\":1.0}", true},
    {"{\"name\":\"a\"}", "{\"name\":\"A\"}", false},
    {"{\"name\":\"a\"}", "{\"name\":null}", false},
    {"{\"name\":\"\"}", "{\"name\":null}", false},
    {"{\"name\":{\"$\":\"unknown\"}}", "{\"name\":{\"$\":\"unknown\"}}", true},
    {"{\"name\":{\"$\":\"unknown\"}}", "{\"name\":\"a\"}", false},
    {"{\"steps\":[]}", "{\"steps\":null}", true},
    {"{\"labels\":{}}", "{\"labels\":null}", true},
    {"{\"labels\":{\"a\":\"1\"}}", "{\"labels\":{\"a\":\"2\"}}", false},
    {"{\"labels\":{\"a\":\"1\"}}", "{\"labels\":{\"b\":\"1\"}}", false},
    {"{\"steps\":[\"a\",\"b\"]}", "{\"steps\":[\"b\",\"a\"]}", false},
    {"{\"bag\":[\"a\",\"b\",\"a\"]}", "{\"bag\":[\"b\",\"a\",\"a\"]}", true},
    {"{\"bag\":[\"a\",\"b\",\"a\"]}", "{\"bag\":[\"b\",\"a\",\"b\"]}", false},
    {"{\"bag\":[\"a\",\"b\"]}", "{\"bag\":[\"b\",\"a\",\"a\"]}", false},
    /* docs/awscc-rules.md 2.8. */
    {"{\"when\":\"2023-07-25T20:43:16+00:00\"}", "{\"when\":\"2023-07-25T20:43:16Z\"}", true},
    {"{\"when\":\"2023-07-25T20:43:16-00:00\"}", "{\"when\":\"2023-07-25T20:43:16.5Z\"}", true},
    {"{\"when\":\"2023-07-25T23:43:16+00:00\"}", "{\"when\":\"2023-07-25T20:43:16-03:00\"}", false},
    {"{\"when\":\"tomorrow\"}", "{\"when\":\"Tomorrow\"}", false},
    {"{\"set\":[\"2023-07-25T20:43:16+00:00\",\"x\"]}", "{\"set\":[\"x\",\"2023-07-25T20:43:16Z\"]}", true},
    {"{\"policy\":\"{\\\"a\\\": [1,2], \\\"b\\\":1}\"}", "{\"policy\":\"{\\\"b\\\":1.0,\\\"a\\\":[1,2]}\"}", true},
    {"{\"policy\":\"{\\\"a\\\":[1,2]}\"}", "{\"policy\":\"{\\\"a\\\":[2,1]}\"}", false},
    {"{\"policy\":\"{a\"}", "{\"policy\":\"{b\"}", false},
    {"{\"either\":\"{ \\\"a\\\":1}\"}", "{\"either\":\"{\\\"a\\\":1}\"}", true},
    {"{\"either\":\"1\"}", "{\"either\":\"1.0\"}", false},
    {"{\"name\":\"{ \\\"a\\\":1}\"}", "{\"name\":\"{\\\"a\\\":1}\"}", false},
    /* Unordered arrays inside unordered arrays. */
    {"{\"rules\":[{\"a\":\"1\",\"ports\":[1,2]},{\"a\":\"2\",\"ports\":[3,3,4]}]}",
     "{\"rules\":[{\"a\":\"2\",\"ports\":[3,4,3]},{\"a\":\"1\",\"ports\":[2,1]}]}", true},
    {"{\"rules\":[{\"a\":\"1\",\"ports\":[1,2]},{\"a\":\"2\",\"ports\":[3,3,4]}]}",
     "{\"rules\":[{\"a\":\"2\",\"ports\":[3,4,4]},{\"a\":\"1\",\"ports\":[2,1]}]}", false},
    {"{\"rules\":[{\"a\":\"1\",\"ports\":[]}]}", "{\"rules\":[{\"a\":\"1\"}]}", true},
    {"{\"rules\":[{\"a\":\"1\",\"empty\":{}}]}", "{\"rules\":[{\"a\":\"1\"}]}", false},
};

static void what_means_the_same_is_equal(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        const struct pair_case *p = &pairs[i];
        const struct value *x = testing_value(a, root->type, p->x), *y = testing_value(a, root->type, p->y);
        if (cc_equal(a, root, x, y) != p->equal || cc_equal(a, root, y, x) != p->equal)
            fail_msg("%s and %s: %s", p->x, p->y, p->equal ? "differ" : "are equal");
        assert_true(cc_equal(a, root, x, x));
        if (p->equal && cc_hash(a, root, x) != cc_hash(a, root, y))
            fail_msg("%s and %s: hashes differ", p->x, p->y);
        if (!p->equal && cc_hash(a, root, x) == cc_hash(a, root, y) && !strstr(p->x, "policy"))
            fail_msg("%s and %s: hashes are equal", p->x, p->y);
    }
}

#define TREE(text) "{\"tree\":{\"kids\":[{\"kids\":[{\"kids\":[{\"kids\":[" text "]}]}]}]}}"

static const struct pair_case texts[] = {
    {TREE("\"{\\\"Kids\\\":[{\\\"Name\\\":\\\"a\\\"},{\\\"Name\\\":\\\"b\\\",\\\"Kids\\\":[{\\\"Name\\\":\\\"c\\\"},{}]}]}\""),
     TREE("\"{\\\"Kids\\\":[{\\\"Kids\\\":[{},{\\\"Name\\\":\\\"c\\\"}],\\\"Name\\\":\\\"b\\\"},{\\\"Name\\\":\\\"a\\\"}]}\""),
     true},
    {TREE("\"{\\\"Kids\\\":[{\\\"Name\\\":\\\"a\\\"},{\\\"Name\\\":\\\"a\\\"},{\\\"Name\\\":\\\"b\\\"}]}\""),
     TREE("\"{\\\"Kids\\\":[{\\\"Name\\\":\\\"a\\\"},{\\\"Name\\\":\\\"b\\\"},{\\\"Name\\\":\\\"b\\\"}]}\""), false},
    {TREE("\"{\\\"Steps\\\":[\\\"a\\\",\\\"b\\\"]}\""), TREE("\"{\\\"Steps\\\":[\\\"b\\\",\\\"a\\\"]}\""), false},
    {TREE("\"{\\\"Bags\\\":{\\\"x\\\":[10,9,1.50]}}\""), TREE("\"{\\\"Bags\\\":{\\\"x\\\":[1.5,9.0,1e1]}}\""), true},
    {TREE("\"{\\\"Other\\\":[1,2]}\""), TREE("\"{\\\"Other\\\":[2,1]}\""), false}, /* not in the schema */
    {TREE("\"{\\\"Kids\\\":{\\\"a\\\":[2,1]}}\""), TREE("\"{\\\"Kids\\\":{\\\"a\\\":[1,2]}}\""),
     false}, /* of another kind than the schema says */
    {"{\"grid\":[\"[{\\\"X\\\":1},{\\\"X\\\":2}]\"]}", "{\"grid\":[\"[{\\\"X\\\":2},{\\\"X\\\":1.0}]\"]}", true},
    {"{\"grid\":[\"[1]\",\"[2]\"]}", "{\"grid\":[\"[2]\",\"[1]\"]}", false},
    {"{\"either\":[\"[{\\\"A\\\":[\\\"x\\\",\\\"y\\\"]}]\"]}", "{\"either\":[\"[{\\\"A\\\":[\\\"y\\\",\\\"x\\\"]}]\"]}", true},
};

static void a_text_is_compared_as_its_schema_says(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, trees)->root;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct pair_case *p = &texts[i];
        const struct value *x = testing_value(a, root->type, p->x), *y = testing_value(a, root->type, p->y);
        if (cc_equal(a, root, x, y) != p->equal || cc_equal(a, root, y, x) != p->equal)
            fail_msg("%s and %s: %s", p->x, p->y, p->equal ? "differ" : "are equal");
        if (p->equal && cc_hash(a, root, x) != cc_hash(a, root, y))
            fail_msg("%s and %s: hashes differ", p->x, p->y);
    }
}

static const struct value *rules(struct arena *a, const struct cc_node *root, const char *text)
{
    struct str all = arena_printf(a, "{\"rules\":%s}", text);
    return value_get(testing_value(a, root->type, all.p), STR("rules"));
}

/* Partners as text, one letter each: a for the first, . for none. */
static const char *partners(struct arena *a, const struct cc_node *root, const char *left, const char *right, enum cc_open open)
{
    const struct cc_comparing how = {.arena = a, .open = open, .skip_write_only = true};
    const struct value *l = rules(a, root, left), *r = rules(a, root, right);
    size_t *found = arena_make_n(a, size_t, l->n);
    char *text = arena_alloc(a, l->n + 1, 1);
    cc_pair(&how, cc_node_child(root, STR("rules"))->element, l->elements, l->n, r->elements, r->n, found);
    for (size_t i = 0; i < l->n; i++)
        text[i] = found[i] == CC_NO_PARTNER ? '.' : (char)('a' + found[i]);
    return text;
}

static void elements_find_their_partners(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    assert_string_equal(
        partners(a, root, "[{\"a\":\"1\"},{\"a\":\"2\"},{\"a\":\"3\"}]", "[{\"a\":\"3\"},{\"a\":\"2\"}]", CC_OPEN_NOT), ".ba");
    assert_string_equal(partners(a, root, "[{\"a\":\"1\"},{\"a\":\"1\"},{\"a\":\"1\"}]",
                                 "[{\"a\":\"2\"},{\"a\":\"1\"},{\"a\":\"1\"}]", CC_OPEN_NOT),
                        ".bc");
    assert_string_equal(
        partners(a, root, "[{\"a\":\"1\",\"secret\":\"x\"}]", "[{\"a\":\"2\"},{\"a\":\"1\",\"secret\":\"y\"}]", CC_OPEN_NOT),
        "b");
}

static void open_elements_take_what_is_left(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    /* The first matches either; the second only one of them. */
    assert_string_equal(partners(a, root, "[{\"a\":\"1\"},{\"a\":\"1\",\"b\":\"2\"}]",
                                 "[{\"a\":\"1\",\"b\":\"2\",\"d\":\"d\"},{\"a\":\"1\",\"b\":\"3\",\"d\":\"d\"}]", CC_OPEN_CONFIG),
                        "ba");
    /* Null in a configuration means the default. */
    assert_string_equal(
        partners(a, root, "[{\"a\":\"1\"}]", "[{\"a\":\"1\",\"d\":\"e\"},{\"a\":\"1\",\"d\":\"d\",\"b\":\"x\"}]", CC_OPEN_CONFIG),
        "b");
    assert_string_equal(
        partners(a, root, "[{\"a\":\"1\",\"b\":{\"$\":\"unknown\"}}]", "[{\"a\":\"2\"},{\"a\":\"1\",\"b\":\"2\"}]", CC_OPEN_PLAN),
        "b");
    /* Null in a plan means null. */
    assert_string_equal(partners(a, root, "[{\"a\":\"1\"}]", "[{\"a\":\"1\",\"b\":\"2\"}]", CC_OPEN_PLAN), ".");
    assert_string_equal(partners(a, root, "[{\"$\":\"unknown\"},{\"a\":\"1\"}]", "[{\"a\":\"1\"},{\"a\":\"2\"}]", CC_OPEN_PLAN),
                        "ba");
}

static void many_alike_are_paired_in_no_time(void **state)
{
    enum { MANY = 20000 };
    (void)state;
    ARENA;
    const struct cc_node *node =
        testing_node(a, testing_jsonz(a, "[\"list\",\"string\"]"), &(struct testing_shape){.order = CC_MULTISET});
    const struct value **x = arena_make_n(a, const struct value *, MANY), **y = arena_make_n(a, const struct value *, MANY);
    for (size_t i = 0; i < MANY; i++) {
        struct str text = i % 2 ? STR("same") : arena_printf(a, "%zu", i);
        x[i] = value_string(a, text);
        y[MANY - 1 - i] = value_string(a, text);
    }
    assert_true(cc_equal(a, node, value_list(a, &type_string, x, MANY), value_list(a, &type_string, y, MANY)));
    y[0] = value_string(a, STR("other"));
    assert_false(cc_equal(a, node, value_list(a, &type_string, x, MANY), value_list(a, &type_string, y, MANY)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_means_the_same_is_equal),     cmocka_unit_test(a_text_is_compared_as_its_schema_says),
        cmocka_unit_test(elements_find_their_partners),     cmocka_unit_test(open_elements_take_what_is_left),
        cmocka_unit_test(many_alike_are_paired_in_no_time),
    };
    return cmocka_run_group_tests_name("cloudcontrol/compare", tests, NULL, NULL);
}
