#include "cloudcontrol/document.h"

#include "cloudcontrol/testing_documents.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)

static const char everything[] =
    "\"properties\":{\"Name\":{\"type\":\"string\"},\"Size\":{\"type\":\"integer\"},\"Share\":{\"type\":\"number\"},\"On\":{"
    "\"type\":\"boolean\"},"
    "\"Names\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"Zones\":{\"type\":\"array\",\"uniqueItems\":true,\"insertionOrder\":false,\"items\":{\"type\":\"string\"}},"
    "\"Labels\":{\"type\":\"object\",\"patternProperties\":{\"\":{\"type\":\"string\"}}},"
    "\"Policy\":{\"type\":\"object\"},\"Either\":{\"type\":[\"object\",\"string\"]},"
    "\"Sets\":{\"type\":\"object\",\"patternProperties\":{\"\":{\"type\":\"array\",\"uniqueItems\":true,\"insertionOrder\":false,"
    "\"items\":{\"type\":\"object\",\"properties\":{\"A\":{\"type\":\"string\"}}}}}},"
    "\"Rules\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"Id\":{\"type\":\"string\"},\"Secret\":{"
    "\"type\":\"string\"},"
    "\"Fixed\":{\"type\":\"string\"},\"Port\":{\"type\":\"integer\"}}}},"
    "\"Login\":{\"type\":\"object\",\"properties\":{\"User\":{\"type\":\"string\"},\"Password\":{\"type\":\"string\"}}},"
    "\"Arn\":{\"type\":\"string\"},\"Kind\":{\"type\":\"string\"}},"
    "\"readOnlyProperties\":[\"/properties/Arn\",\"/properties/Rules/*/Id\"],\"createOnlyProperties\":[\"/properties/Kind\","
    "\"/properties/Rules/*/Fixed\"],"
    "\"writeOnlyProperties\":[\"/properties/Login/Password\",\"/properties/Rules/*/Secret\"]";

static const struct json *written(struct arena *a, const struct cc_node *root, const char *value, enum cc_document_use use)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = cc_document(a, root, testing_value(a, root->type, value), use, &diags);
    testing_no_errors(&diags);
    return j;
}

static const struct value *taken(struct arena *a, const struct cc_node *root, const char *document, struct cc_read_notes *notes)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct value *v = cc_document_read(a, root, testing_jsonz(a, document), notes, &diags);
    testing_no_errors(&diags);
    return v;
}

static const struct cc_node *node_of_case(struct arena *a, const struct json *c)
{
    return testing_node(a, json_get(c, "type"), &(struct testing_shape){json_get(c, "names"), json_get(c, "json"), CC_ORDERED});
}

static void documents_are_those_of_awscc(void **state)
{
    (void)state;
    ARENA;
    testing_each_case(a, "to_cloudcontrol.json", c)
    {
        struct diags diags;
        diags_init(&diags, a);
        const struct cc_node *root = node_of_case(a, c);
        const struct value *v = testing_value_of(a, root->type, json_get(c, "value"));
        const struct json *got = cc_document(a, root, v, CC_DOCUMENT_CREATE, &diags);
        testing_no_errors(&diags);
        /* Set elements may be in any order, so they are compared as values. */
        testing_same(a, cc_document_read(a, root, got, NULL, &diags),
                     cc_document_read(a, root, json_get(c, "out"), NULL, &diags));
        assert_int_equal(got->object.n, json_get(c, "out")->object.n);
    }
}

static void values_are_those_of_awscc(void **state)
{
    (void)state;
    ARENA;
    testing_each_case(a, "to_terraform.json", c)
    {
        struct diags diags;
        diags_init(&diags, a);
        const struct cc_node *root = node_of_case(a, c);
        const struct value *got = cc_document_read(a, root, json_get(c, "in"), NULL, &diags);
        testing_no_errors(&diags);
        testing_same(a, got, testing_value_of(a, root->type, json_get(c, "out")));
    }
}

static void nothing_that_was_said_is_left_out(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, everything)->root;
    testing_is_json(
        a,
        written(a, root,
                "{\"names\":[],\"zones\":[\"b\",\"a\"],\"labels\":{},\"login\":{},\"size\":9007199254740993,\"share\":0.1,"
                "\"on\":false,\"name\":\"\",\"rules\":[{},null,{\"port\":1}]}",
                CC_DOCUMENT_CREATE),
        "{\"Names\":[],\"Zones\":[\"a\",\"b\"],\"Labels\":{},\"Login\":{},\"Size\":9007199254740993,\"Share\":0.1,"
        "\"On\":false,\"Name\":\"\",\"Rules\":[{},{\"Port\":1}]}");
    testing_is_json(
        a, written(a, root, "{\"id\":\"x\",\"name\":{\"$\":\"unknown\"},\"timeouts\":{\"create\":\"1h\"}}", CC_DOCUMENT_ALL),
        "{}");
}

static void members_stand_in_order(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, everything)->root;
    const struct json *j = written(
        a, root, "{\"zones\":[\"z\",\"y\"],\"arn\":\"x\",\"size\":1,\"labels\":{\"b\":\"2\",\"a\":\"1\"}}", CC_DOCUMENT_ALL);
    struct buf out BUF_AUTO = BUF_INIT(1 << 10);
    struct json_writer w = {.out = &out};
    json_write(&w, j);
    assert_true(json_finish(&w));
    assert_string_equal(buf_copy(&out, a).p,
                        "{\"Arn\":\"x\",\"Labels\":{\"a\":\"1\",\"b\":\"2\"},\"Size\":1,\"Zones\":[\"y\",\"z\"]}");
}

static void each_use_has_what_it_may_have(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, everything)->root;
    const char *value = "{\"arn\":\"arn\",\"kind\":\"k\",\"login\":{\"user\":\"u\",\"password\":\"p\"},"
                        "\"rules\":[{\"id\":\"i\",\"secret\":\"s\",\"fixed\":\"f\",\"port\":1}]}";
    testing_is_json(a, written(a, root, value, CC_DOCUMENT_ALL),
                    "{\"Arn\":\"arn\",\"Kind\":\"k\",\"Login\":{\"User\":\"u\",\"Password\":\"p\"},"
                    "\"Rules\":[{\"Id\":\"i\",\"Secret\":\"s\",\"Fixed\":\"f\",\"Port\":1}]}");
    /* A configured property that only a starred pointer calls read-only is sent; the service decides whether it is valid. */
    testing_is_json(a, written(a, root, value, CC_DOCUMENT_CREATE),
                    "{\"Kind\":\"k\",\"Login\":{\"User\":\"u\",\"Password\":\"p\"},"
                    "\"Rules\":[{\"Id\":\"i\",\"Secret\":\"s\",\"Fixed\":\"f\",\"Port\":1}]}");
    testing_is_json(a, written(a, root, value, CC_DOCUMENT_BEFORE),
                    "{\"Kind\":\"k\",\"Login\":{\"User\":\"u\"},\"Rules\":[{\"Fixed\":\"f\",\"Port\":1}]}");
    testing_is_json(a, written(a, root, value, CC_DOCUMENT_AFTER),
                    "{\"Kind\":\"k\",\"Login\":{\"User\":\"u\",\"Password\":\"p\"},\"Rules\":[{\"Secret\":\"s\",\"Fixed\":\"f\","
                    "\"Port\":1}]}");
}

static void json_texts_are_json(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, everything)->root;
    testing_is_json(a,
                    written(a, root, "{\"policy\":\"{\\\"n\\\": 12345678901234567890.10, \\\"a\\\":[1]}\"}", CC_DOCUMENT_CREATE),
                    "{\"Policy\":{\"n\":12345678901234567890.10,\"a\":[1]}}");
    /* Formatted like jsonencode(), so that an imported object has the string that a configuration probably has. */
    testing_is(a, taken(a, root, "{\"Policy\":{\"z\":1.0,\"a\":\"<&>\"}}", NULL),
               "{\"policy\":\"{\\\"a\\\":\\\"\\\\u003c\\\\u0026\\\\u003e\\\",\\\"z\\\":1.0}\"}");
    testing_is(a, taken(a, root, "{\"Policy\":\"{\\\"z\\\": 1}\"}", NULL), "{\"policy\":\"{\\\"z\\\":1}\"}");
    testing_is(a, taken(a, root, "{\"Policy\":\"12\"}", NULL), "{\"policy\":\"\\\"12\\\"\"}");
    testing_is(a, taken(a, root, "{\"Either\":{\"b\":1,\"a\":2}}", NULL), "{\"either\":\"{\\\"a\\\":2,\\\"b\\\":1}\"}");
    testing_is_json(a, written(a, root, "{\"either\":\"{}\"}", CC_DOCUMENT_CREATE), "{\"Either\":\"{}\"}");
}

static void bad_json_texts_are_named(void **state)
{
    (void)state;
    ARENA;
    struct diags diags;
    diags_init(&diags, a);
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, everything)->root;
    assert_null(cc_document(a, root, testing_value(a, root->type, "{\"policy\":\"{secret\"}"), CC_DOCUMENT_CREATE, &diags));
    assert_true(diags.n == 1 && str_eqz(path_text(a, diags.v[0].path), "policy"));
    assert_null(strstr(testing_said(&diags), "secret"));

    struct buf deep BUF_AUTO = BUF_INIT(1 << 12);
    for (int i = 0; i < JSON_MAX_DEPTH; i++)
        buf_addc(&deep, '[');
    for (int i = 0; i < JSON_MAX_DEPTH; i++)
        buf_addc(&deep, ']');
    struct str value = arena_printf(a, "{\"policy\":\"" STR_FMT "\"}", STR_ARG(buf_str(&deep)));
    diags_init(&diags, a);
    assert_null(cc_document(a, root, testing_value(a, root->type, value.p), CC_DOCUMENT_CREATE, &diags));
    testing_says(&diags, "nested too deep");
}

static void odd_kinds_are_taken_where_they_can_be(void **state)
{
    (void)state;
    ARENA;
    struct cc_read_notes notes = {0};
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, everything)->root;
    testing_is(
        a,
        taken(
            a, root,
            "{\"Name\":12,\"Size\":\"42\",\"Share\":\"1.50\",\"On\":\"true\",\"Names\":[true,{\"a\":1}],\"Labels\":{\"a\":1e3}}",
            &notes),
        "{\"name\":\"12\",\"size\":42,\"share\":1.5,\"on\":true,\"names\":[\"true\",\"{\\\"a\\\":1}\"],\"labels\":{\"a\":\"1e3\"}"
        "}");
    assert_int_equal(notes.n[CC_READ_CONVERTED], 7);
    assert_int_equal(notes.n[CC_READ_DROPPED] + notes.n[CC_READ_UNKNOWN], 0);
    testing_is(a, taken(a, root, "{\"Size\":1.5}", &notes), "{\"size\":1.5}");
}

static void what_cannot_be_taken_is_counted(void **state)
{
    (void)state;
    ARENA;
    struct cc_read_notes notes = {0};
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, everything)->root;
    testing_is(a,
               taken(a, root,
                     "{\"Other\":1,\"Rules\":[{\"Port\":1,\"X\":{}},null,\"text\"],\"Size\":\"many\",\"On\":\"yes\",\"Labels\":{"
                     "\"a\":null,\"b\":\"1\"},"
                     "\"Login\":[],\"Names\":{\"a\":1},\"Share\":null,\"Zones\":[null]}",
                     &notes),
               "{\"rules\":[{\"port\":1}],\"labels\":{\"b\":\"1\"}}");
    assert_int_equal(notes.n[CC_READ_UNKNOWN], 2);
    assert_int_equal(notes.n[CC_READ_DROPPED], 8);
    assert_string_equal(notes.first[0].pointer.p, "/Other");
    assert_string_equal(notes.first[1].pointer.p, "/Rules/0/X");
}

static void no_object_is_no_document(void **state)
{
    (void)state;
    ARENA;
    struct diags diags;
    diags_init(&diags, a);
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, everything)->root;
    assert_null(cc_document_read(a, root, testing_jsonz(a, "[]"), NULL, &diags));
    assert_null(cc_document_read(a, root, NULL, NULL, &diags));
    assert_int_equal(diags.n, 2);
    struct arena *small ARENA_AUTO = arena_new(NULL, 1);
    assert_null(cc_document_read(small, root, testing_jsonz(a, "{\"Names\":[\"a\",\"b\",\"c\"],\"Labels\":{\"a\":\"b\"}}"), NULL,
                                 &diags));
    testing_says(&diags, "too large");
}

static void a_map_of_sets_of_objects_is_one_to_the_service(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, everything)->root;
    testing_is_json(a, written(a, root, "{\"sets\":{\"x\":{\"a\":\"1\"}}}", CC_DOCUMENT_CREATE),
                    "{\"Sets\":{\"x\":[{\"A\":\"1\"}]}}");
    testing_is(a, taken(a, root, "{\"Sets\":{\"x\":[{\"A\":\"1\"}],\"y\":{\"A\":\"2\"}}}", NULL),
               "{\"sets\":{\"x\":{\"a\":\"1\"},\"y\":{\"a\":\"2\"}}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_are_those_of_awscc),
        cmocka_unit_test(values_are_those_of_awscc),
        cmocka_unit_test(nothing_that_was_said_is_left_out),
        cmocka_unit_test(members_stand_in_order),
        cmocka_unit_test(each_use_has_what_it_may_have),
        cmocka_unit_test(json_texts_are_json),
        cmocka_unit_test(bad_json_texts_are_named),
        cmocka_unit_test(odd_kinds_are_taken_where_they_can_be),
        cmocka_unit_test(what_cannot_be_taken_is_counted),
        cmocka_unit_test(no_object_is_no_document),
        cmocka_unit_test(a_map_of_sets_of_objects_is_one_to_the_service),
    };
    return cmocka_run_group_tests_name("cloudcontrol/document", tests, NULL, NULL);
}
