#include "cloudcontrol/patch.h"

#include "cloudcontrol/compare.h"
#include "cloudcontrol/document.h"
#include "cloudcontrol/testing_service.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)

/* --- applying: the examples of RFC 6902, appendix A, and others --- */

struct apply_case {
    const char *document, *patch;
    const char *result; /* or, after a !, the error message */
};

static const struct apply_case applications[] = {
    {"{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\"}]", "{\"baz\":\"qux\",\"foo\":\"bar\"}"},
    {"{\"foo\":[\"bar\",\"baz\"]}", "[{\"op\":\"add\",\"path\":\"/foo/1\",\"value\":\"qux\"}]",
     "{\"foo\":[\"bar\",\"qux\",\"baz\"]}"},
    {"{\"baz\":\"qux\",\"foo\":\"bar\"}", "[{\"op\":\"remove\",\"path\":\"/baz\"}]", "{\"foo\":\"bar\"}"},
    {"{\"foo\":[\"bar\",\"qux\",\"baz\"]}", "[{\"op\":\"remove\",\"path\":\"/foo/1\"}]", "{\"foo\":[\"bar\",\"baz\"]}"},
    {"{\"baz\":\"qux\",\"foo\":\"bar\"}", "[{\"op\":\"replace\",\"path\":\"/baz\",\"value\":\"boo\"}]",
     "{\"baz\":\"boo\",\"foo\":\"bar\"}"},
    {"{\"foo\":{\"bar\":\"baz\",\"waldo\":\"fred\"},\"qux\":{\"corge\":\"grault\"}}",
     "[{\"op\":\"move\",\"from\":\"/foo/waldo\",\"path\":\"/qux/thud\"}]",
     "{\"foo\":{\"bar\":\"baz\"},\"qux\":{\"corge\":\"grault\",\"thud\":\"fred\"}}"},
    {"{\"foo\":[\"all\",\"grass\",\"cows\",\"eat\"]}", "[{\"op\":\"move\",\"from\":\"/foo/1\",\"path\":\"/foo/3\"}]",
     "{\"foo\":[\"all\",\"cows\",\"eat\",\"grass\"]}"},
    {"{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}",
     "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"qux\"},{\"op\":\"test\",\"path\":\"/foo/1\",\"value\":2}]",
     "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}"},
    {"{\"baz\":\"qux\"}", "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"bar\"}]",
     "!Operation 0 (test \"/baz\"): the value is different"},
    {"{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/child\",\"value\":{\"grandchild\":{}}}]",
     "{\"foo\":\"bar\",\"child\":{\"grandchild\":{}}}"},
    {"{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\",\"xyz\":123}]",
     "{\"foo\":\"bar\",\"baz\":\"qux\"}"},
    {"{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz/bat\",\"value\":\"qux\"}]", "!there is no member \"baz\""},
    {"{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":10}]", "{\"/\":9,\"~1\":10}"},
    {"{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":\"10\"}]", "!different"},
    {"{\"foo\":[\"bar\"]}", "[{\"op\":\"add\",\"path\":\"/foo/-\",\"value\":[\"abc\",\"def\"]}]",
     "{\"foo\":[\"bar\",[\"abc\",\"def\"]]}"},
    /* Others. */
    {"{\"a\":{\"b\":[1,2]}}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/c\"},{\"op\":\"remove\",\"path\":\"/a/b/0\"}]",
     "{\"a\":{\"b\":[2]},\"c\":{\"b\":[1,2]}}"},
    {"{\"a\":[1]}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/0\"}]", "{\"a\":[[1],1]}"},
    {"{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":[]}]", "[]"},
    {"{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":{\"b\":2}},{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/c\"}]",
     "{\"c\":2}"},
    {"{\"a\":1}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a\"}]", "{\"a\":1}"},
    {"{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":2}]", "{\"a\":2}"},
    {"{\"a\":null}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":null}]", "{\"a\":null}"},
    {"{\"\":{\"\":1}}", "[{\"op\":\"replace\",\"path\":\"//\",\"value\":2}]", "{\"\":{\"\":2}}"},
    {"{}", "[]", "{}"},
    {"{\"a\":{\"b\":1}}",
     "[{\"op\":\"test\",\"path\":\"/a\",\"value\":{\"b\":1.0}},{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/c\"}]",
     "!Operation 1 (move \"/a/c\"): a value cannot be moved into itself"},
    {"{\"a\":[1]}", "[{\"op\":\"add\",\"path\":\"/a/2\",\"value\":2}]", "!there is no element 2"},
    {"{\"a\":[1]}", "[{\"op\":\"add\",\"path\":\"/a/01\",\"value\":2}]", "!there is no element 01"},
    {"{\"a\":[1]}", "[{\"op\":\"replace\",\"path\":\"/a/-\",\"value\":2}]", "!there is no element -"},
    {"{\"a\":[1]}", "[{\"op\":\"remove\",\"path\":\"/a/1\"}]", "!there is no element 1"},
    {"{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":2}]", "!neither an object nor an array"},
    {"{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"\"}]", "!cannot be removed"},
    {"{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"a\"}]", "!must start with /"},
    {"{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"/~2\"}]", "!followed by 0 or 1"},
    {"{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a\"}]", "!\"value\" is missing"},
    {"{\"a\":1}", "[{\"op\":\"copy\",\"path\":\"/a\"}]", "!\"from\" is missing"},
    {"{\"a\":1}", "[{\"op\":\"merge\",\"path\":\"/a\",\"value\":1}]", "!unknown operation"},
    {"{\"a\":1}", "[{\"path\":\"/a\",\"value\":1}]", "!the strings \"op\" and \"path\""},
    {"{\"a\":1}", "[7]", "!the strings \"op\" and \"path\""},
    {"{\"a\":1}", "{}", "!array of at most"},
};

static void patches_are_applied_as_the_standard_says(void **state)
{
    (void)state;
    ARENA;
    for (size_t i = 0; i < sizeof applications / sizeof applications[0]; i++) {
        const struct apply_case *c = &applications[i];
        struct diags diags;
        diags_init(&diags, a);
        const struct json *document = testing_jsonz(a, c->document),
                          *got = cc_patch_apply(a, document, testing_jsonz(a, c->patch), &diags);
        if (c->result[0] == '!') {
            assert_null(got);
            testing_says(&diags, c->result + 1);
        } else {
            testing_no_errors(&diags);
            testing_is_json(a, got, c->result);
        }
        testing_is_json(a, document, c->document);
    }
}

static void nobody_can_make_it_work_forever(void **state)
{
    (void)state;
    ARENA;
    struct diags diags;
    struct buf patch BUF_AUTO = BUF_INIT(1 << 20);
    diags_init(&diags, a);
    /* Each copy doubles the size. */
    buf_addz(&patch, "[{\"op\":\"add\",\"path\":\"/a\",\"value\":[1]}");
    for (int i = 0; i < 60; i++)
        buf_addz(&patch, ",{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/-\"}");
    buf_addc(&patch, ']');
    assert_null(cc_patch_apply(a, testing_jsonz(a, "{}"), testing_jsonz(a, buf_copy(&patch, a).p), &diags));
    testing_says(&diags, "too much work");

    /* Each copy adds a level. */
    buf_clear(&patch);
    diags_init(&diags, a);
    buf_addz(&patch, "[{\"op\":\"add\",\"path\":\"/a\",\"value\":{}}");
    for (int i = 0; i < 300; i++)
        buf_addz(&patch, ",{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b\"},{\"op\":\"add\",\"path\":\"/a\",\"value\":{}},"
                         "{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/a/b\"}");
    buf_addc(&patch, ']');
    assert_null(cc_patch_apply(a, testing_jsonz(a, "{}"), testing_jsonz(a, buf_copy(&patch, a).p), &diags));
    testing_says(&diags, "nested too deep");
}

/* --- facts --- */

static void removals_are_ordered_as_in_awscc(void **state)
{
    (void)state;
    ARENA;
    testing_each_case(a, "patch.json", c)
    {
        if (str_eqz(testing_member(c, "op"), "goes_before"))
            assert_int_equal(cc_pointer_cmp(testing_member(c, "a"), testing_member(c, "b")) > 0,
                             json_bool(json_get(c, "out"), false));
        else if (str_eqz(testing_member(c, "op"), "sort"))
            testing_same_json(a, cc_patch_sort(a, json_get(c, "in")), json_get(c, "out"));
    }
}

static const struct json *add_op(struct arena *a, struct str path, const char *value)
{
    return testing_jsonz(a, arena_printf(a, "{\"op\":\"add\",\"path\":\"" STR_FMT "\",\"value\":%s}", STR_ARG(path), value).p);
}

/* A document for these operations: the elements that they replace or remove exist and have different values. */
static const struct json *document_before(struct arena *a, const struct json *ops, const struct json *new)
{
    struct diags diags;
    diags_init(&diags, a);
    VEC(const struct json *) back = {0};
    for (size_t i = 0; i < ops->array.n; i++) {
        struct str path = testing_member(ops->array.items[i], "path"), op = testing_member(ops->array.items[i], "op");
        size_t second = str_find(path, '/', 1);
        struct str list = str_slice(path, 0, second);
        if (second != SIZE_MAX || str_eqz(path, "/Tags"))
            *VEC_PUSH(a, &back) = add_op(a, list, str_eqz(list, "/Ports") ? "[1,2]" : "[{\"Key\":\"old\",\"Value\":\"old\"}]");
        else if (str_eqz(op, "replace"))
            *VEC_PUSH(a, &back) = add_op(a, path, str_eqz(path, "/Number") ? "1" : "\"old\"");
    }
    const struct json *before = cc_patch_apply(a, new, json_make_array(a, back.v, back.n), &diags);
    testing_no_errors(&diags);
    return before;
}

static bool has_op(const struct json *patch, const struct json *op)
{
    for (size_t i = 0; i < patch->array.n; i++)
        if (json_eq(patch->array.items[i], op))
            return true;
    return false;
}

static const struct json *make(struct arena *a, const struct cc_node *root, const struct json *before, const struct json *after)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct value *x = cc_document_read(a, root, before, NULL, &diags), *y = cc_document_read(a, root, after, NULL, &diags);
    const struct json *patch = cc_patch(a, root, x, y, &diags);
    testing_no_errors(&diags);
    return patch;
}

static void lists_of_keys_are_replaced_as_in_awscc(void **state)
{
    (void)state;
    ARENA;
    const struct json *type =
        testing_jsonz(a, "[\"object\",{\"Name\":\"string\",\"Number\":\"number\",\"Ports\":[\"list\",\"number\"],\"Tags\":["
                         "\"list\",[\"object\",{\"Key\":\"string\",\"Value\":\"string\"}]],"
                         "\"Attributes\":[\"list\",[\"object\",{\"Key\":\"string\",\"Value\":\"string\"}]],"
                         "\"LoadBalancerAttributes\":[\"list\",[\"object\",{\"Key\":\"string\",\"Value\":\"string\"}]]}]");
    testing_each_case(a, "patch.json", c)
    {
        if (!str_eqz(testing_member(c, "op"), "key_lists"))
            continue;
        const struct cc_node *root = testing_node(a, type, &(struct testing_shape){.order = CC_ORDERED});
        const struct json *new = testing_jsonz(a, testing_member(c, "new").p), *out = json_get(c, "out");
        const struct json *got = make(a, root, document_before(a, json_get(c, "in"), new), new);
        assert_int_equal(got->array.n, out->array.n);
        for (size_t i = 0; i < out->array.n; i++)
            assert_true(has_op(got, out->array.items[i]));
    }
}

/* --- making --- */

static const char things[] =
    "\"definitions\":{\"Marker\":{\"type\":\"object\",\"properties\":{\"X\":{\"type\":\"string\"}}},\"Rule\":{\"type\":"
    "\"object\",\"properties\":{\"A\":{"
    "\"type\":\"string\"},\"B\":{\"type\":\"string\"},\"Long\":{\"type\":\"string\"}}}},"
    "\"properties\":{\"Name\":{\"type\":\"string\"},\"Mode\":{\"type\":\"string\",\"default\":\"auto\"},\"Kind\":{\"type\":"
    "\"string\"},\"Arn\":{\"type\":\"string\"},"
    "\"Policy\":{\"type\":\"object\"},\"Password\":{\"type\":\"string\"},\"Seed\":{\"type\":\"string\"},"
    "\"Labels\":{\"type\":\"object\",\"patternProperties\":{\"\":{\"type\":\"string\"}}},"
    "\"Steps\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"Bag\":{\"type\":\"array\",\"insertionOrder\":false,"
    "\"items\":{\"type\":\"string\"}},"
    "\"Chain\":{\"type\":\"array\",\"items\":{\"$ref\":\"#/definitions/Rule\"}},"
    "\"Keys\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"Id\":{\"type\":\"string\"},\"Secret\":{"
    "\"type\":\"string\"}}}},"
    "\"Login\":{\"type\":\"object\",\"properties\":{\"User\":{\"type\":\"string\"},\"Secret\":{\"type\":\"string\"}}},"
    "\"Fixed\":{\"type\":\"object\",\"properties\":{\"A\":{\"type\":\"string\"},\"B\":{\"type\":\"string\"}}},"
    "\"Action\":{\"type\":\"object\",\"properties\":{\"Name\":{\"type\":\"string\"},\"Allow\":{\"$ref\":\"#/definitions/"
    "Marker\"},\"Block\":{\"$ref\":\"#/definitions/"
    "Marker\"}}}},"
    "\"readOnlyProperties\":[\"/properties/Arn\"],\"createOnlyProperties\":[\"/properties/Kind\",\"/properties/Seed\",\"/"
    "properties/Fixed/A\"],"
    "\"writeOnlyProperties\":[\"/properties/Password\",\"/properties/Seed\",\"/properties/Keys/*/Secret\",\"/properties/Login/"
    "Secret\"]";

struct make_case {
    const char *what, *prior, *planned, *patch;
};

static const struct make_case makes[] = {
    {"nothing", "{\"name\":\"a\",\"password\":\"p\"}", "{\"name\":\"a\",\"password\":\"p\"}", "[]"},
    {"changed, added, removed", "{\"name\":\"a\",\"labels\":{\"x\":\"1\",\"y\":\"2\",\"z\":\"3\"},\"steps\":[\"a\"]}",
     "{\"name\":\"b\",\"labels\":{\"w\":\"0\",\"y\":\"3\",\"z\":\"3\"},\"policy\":\"{\\\"a\\\":1}\"}",
     "[{\"op\":\"remove\",\"path\":\"/Steps\"},{\"op\":\"remove\",\"path\":\"/Labels/x\"},{\"op\":\"add\",\"path\":\"/Labels/"
     "w\",\"value\":\"0\"},"
     "{\"op\":\"replace\",\"path\":\"/Labels/y\",\"value\":\"3\"},{\"op\":\"replace\",\"path\":\"/Name\",\"value\":\"b\"},"
     "{\"op\":\"add\",\"path\":\"/Policy\",\"value\":{\"a\":1}}]"},
    {"names with / and ~", "{\"labels\":{\"a/b~c\":\"1\"}}", "{\"labels\":{\"a/b~c\":\"2\"}}",
     "[{\"op\":\"replace\",\"path\":\"/Labels/a~1b~0c\",\"value\":\"2\"}]"},
    {"an unordered list in another order", "{\"bag\":[\"a\",\"b\"],\"name\":\"a\"}", "{\"bag\":[\"b\",\"a\"],\"name\":\"b\"}",
     "[{\"op\":\"replace\",\"path\":\"/Name\",\"value\":\"b\"}]"},
    {"an unordered list as a whole", "{\"bag\":[\"a\",\"b\"]}", "{\"bag\":[\"b\",\"c\",\"a\"]}",
     "[{\"op\":\"replace\",\"path\":\"/Bag\",\"value\":[\"b\",\"c\",\"a\"]}]"},
    {"an explicit empty list", "{}", "{\"bag\":[],\"labels\":{}}",
     "[{\"op\":\"add\",\"path\":\"/Bag\",\"value\":[]},{\"op\":\"add\",\"path\":\"/Labels\",\"value\":{}}]"},
    {"a list that becomes empty", "{\"bag\":[\"a\"]}", "{\"bag\":[]}", "[{\"op\":\"replace\",\"path\":\"/Bag\",\"value\":[]}]"},
    {"an empty list that may not be there", "{\"bag\":[]}", "{\"bag\":[\"a\"]}",
     "[{\"op\":\"add\",\"path\":\"/Bag\",\"value\":[\"a\"]}]"},
    {"... is not removed", "{\"bag\":[],\"name\":\"a\"}", "{\"name\":\"b\"}",
     "[{\"op\":\"replace\",\"path\":\"/Name\",\"value\":\"b\"}]"},
    {"a default that may not be there", "{\"mode\":\"auto\"}", "{\"mode\":\"manual\"}",
     "[{\"op\":\"add\",\"path\":\"/Mode\",\"value\":\"manual\"}]"},
    {"JSON in other words", "{\"policy\":\"{ \\\"a\\\":1 }\",\"name\":\"a\"}", "{\"policy\":\"{\\\"a\\\":1}\",\"name\":\"b\"}",
     "[{\"op\":\"replace\",\"path\":\"/Name\",\"value\":\"b\"}]"},
    {"an element in the middle of an ordered list",
     "{\"chain\":[{\"a\":\"1\",\"long\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"},{\"a\":\"3\"}]}",
     "{\"chain\":[{\"a\":\"1\",\"long\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"},{\"a\":\"2\"},{"
     "\"a\":\"3\"}]}",
     "[{\"op\":\"add\",\"path\":\"/Chain/1\",\"value\":{\"A\":\"2\"}}]"},
    {"one less, one moved up and one changed",
     "{\"chain\":[{\"a\":\"0\"},{\"a\":\"1\",\"b\":\"x\",\"long\":"
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"},{\"a\":\"2\",\"b\":\"y\"}]}",
     "{\"chain\":[{\"a\":\"1\",\"b\":\"z\",\"long\":"
     "\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
     "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\"},{\"a\":\"2\",\"b\":\"y\"}]}",
     "[{\"op\":\"remove\",\"path\":\"/Chain/0\"},{\"op\":\"replace\",\"path\":\"/Chain/0/B\",\"value\":\"z\"}]"},
    {"a list the other way round", "{\"steps\":[\"a\",\"b\",\"c\"]}", "{\"steps\":[\"c\",\"b\",\"a\"]}",
     "[{\"op\":\"replace\",\"path\":\"/Steps/0\",\"value\":\"c\"},{\"op\":\"replace\",\"path\":\"/Steps/2\",\"value\":\"a\"}]"},
    {"the first one goes, one comes in between and one at the end", "{\"steps\":[\"a\",\"b\",\"c\"]}",
     "{\"steps\":[\"b\",\"x\",\"c\",\"y\"]}",
     "[{\"op\":\"remove\",\"path\":\"/Steps/0\"},{\"op\":\"add\",\"path\":\"/Steps/"
     "1\",\"value\":\"x\"},{\"op\":\"add\",\"path\":\"/Steps/3\",\"value\":\"y\"}]"},
    {"what is read-only or create-only", "{\"arn\":\"x\",\"kind\":\"k\",\"name\":\"a\"}",
     "{\"arn\":\"y\",\"kind\":\"l\",\"name\":\"b\"}", "[{\"op\":\"replace\",\"path\":\"/Name\",\"value\":\"b\"}]"},
    {"what is write-only is sent again, unless it is create-only",
     "{\"name\":\"a\",\"password\":\"p\",\"seed\":\"s\",\"login\":{\"user\":\"u\",\"secret\":\"t\"}}",
     "{\"name\":\"b\",\"password\":\"p\",\"seed\":\"s\",\"login\":{\"user\":\"u\",\"secret\":\"t\"}}",
     "[{\"op\":\"add\",\"path\":\"/Login/Secret\",\"value\":\"t\"},{\"op\":\"replace\",\"path\":\"/"
     "Name\",\"value\":\"b\"},{\"op\":\"add\",\"path\":\"/Password\",\"value\":"
     "\"p\"}]"},
    {"... with its object, if that may not be there", "{\"name\":\"a\",\"login\":{\"secret\":\"t\"}}",
     "{\"name\":\"b\",\"login\":{\"secret\":\"t\"}}",
     "[{\"op\":\"add\",\"path\":\"/Login\",\"value\":{\"Secret\":\"t\"}},{\"op\":\"replace\",\"path\":\"/"
     "Name\",\"value\":\"b\"}]"},
    {"... with its list", "{\"name\":\"a\",\"keys\":[{\"id\":\"1\",\"secret\":\"s\"}]}",
     "{\"name\":\"b\",\"keys\":[{\"id\":\"1\",\"secret\":\"s\"}]}",
     "[{\"op\":\"add\",\"path\":\"/Keys\",\"value\":[{\"Id\":\"1\",\"Secret\":\"s\"}]},{\"op\":\"replace\",\"path\":\"/"
     "Name\",\"value\":\"b\"}]"},
    {"... and a change of it is a change", "{\"password\":\"p\"}", "{\"password\":\"q\"}",
     "[{\"op\":\"add\",\"path\":\"/Password\",\"value\":\"q\"}]"},
    {"... but it cannot be removed", "{\"password\":\"p\",\"name\":\"a\"}", "{\"name\":\"b\"}",
     "[{\"op\":\"replace\",\"path\":\"/Name\",\"value\":\"b\"}]"},
    {"an empty object that may not be there", "{\"action\":{\"allow\":{},\"name\":\"n\"}}",
     "{\"action\":{\"block\":{},\"name\":\"n\"}}",
     "[{\"op\":\"replace\",\"path\":\"/Action\",\"value\":{\"Block\":{},\"Name\":\"n\"}}]"},
    {"an object of nothing but such", "{\"action\":{\"allow\":{}}}", "{\"action\":{\"block\":{}}}",
     "[{\"op\":\"add\",\"path\":\"/Action\",\"value\":{\"Block\":{}}}]"},
    {"a create-only part of an object that changes", "{\"fixed\":{\"a\":\"1\"}}", "{\"fixed\":{\"a\":\"1\",\"b\":\"2\"}}",
     "[{\"op\":\"add\",\"path\":\"/Fixed/B\",\"value\":\"2\"}]"},
    {"what is unknown stays", "{\"name\":\"a\",\"steps\":[\"x\"]}",
     "{\"name\":\"b\",\"steps\":{\"$\":\"unknown\"},\"bag\":{\"$\":\"unknown\"}}",
     "[{\"op\":\"replace\",\"path\":\"/Name\",\"value\":\"b\"}]"},
};

static void a_patch_says_what_changes(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    for (size_t i = 0; i < sizeof makes / sizeof makes[0]; i++) {
        const struct make_case *c = &makes[i];
        struct diags diags;
        diags_init(&diags, a);
        const struct json *got =
            cc_patch(a, root, testing_value(a, root->type, c->prior), testing_value(a, root->type, c->planned), &diags);
        testing_no_errors(&diags);
        if (!json_eq(got, testing_jsonz(a, c->patch)))
            fail_msg("%s: got %s, want %s", c->what, cc_json_text(a, got).p, c->patch);
    }
}

static void a_patch_needs_json(void **state)
{
    (void)state;
    ARENA;
    struct diags diags;
    diags_init(&diags, a);
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    assert_null(
        cc_patch(a, root, testing_value(a, root->type, "{}"), testing_value(a, root->type, "{\"policy\":\"{\"}"), &diags));
    testing_says(&diags, "not JSON");
}

static void long_lists_are_written_anew(void **state)
{
    enum { MANY = 2000 };
    (void)state;
    ARENA;
    struct diags diags;
    diags_init(&diags, a);
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    const struct value **x = arena_make_n(a, const struct value *, MANY), **y = arena_make_n(a, const struct value *, MANY);
    for (size_t i = 0; i < MANY; i++) {
        x[i] = value_string(a, arena_printf(a, "%zu", i));
        y[i] = value_string(a, arena_printf(a, "%zu", i + MANY));
    }
    size_t steps = (size_t)(cc_node_child(root, STR("steps")) - root->children);
    const struct value *none = testing_value(a, root->type, "{}");
    const struct value **parts = arena_make_n(a, const struct value *, root->n_children);
    for (size_t i = 0; i < root->n_children; i++)
        parts[i] = none->elements[i];
    parts[steps] = value_list(a, &type_string, x, MANY);
    const struct value *before = value_object(a, root->type, parts);
    parts[steps] = value_list(a, &type_string, y, MANY);
    const struct json *patch = cc_patch(a, root, before, value_object(a, root->type, parts), &diags);
    testing_no_errors(&diags);
    assert_int_equal(patch->array.n, 1);
}

/* --- any two objects --- */

static void patches_do_what_they_are_made_for(void **state)
{
    enum { ROUNDS = 300 };
    (void)state;
    for (unsigned seed = 1; seed <= ROUNDS; seed++) {
        ARENA;
        struct diags diags;
        diags_init(&diags, a);
        const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
        struct testing_random r = {a, seed * 0x9e3779b97f4a7c15, 0};
        const struct value *x = testing_random_config(&r, root);
        const struct value *y = seed % 2 ? testing_mutate(&r, root, x, 0) : testing_random_config(&r, root);
        const struct json *before = cc_document(a, root, x, CC_DOCUMENT_BEFORE, &diags), *patch = cc_patch(a, root, x, y, &diags);
        testing_no_errors(&diags);
        testing_same_json(a, cc_patch(a, root, x, y, &diags), patch);
        const struct json *after = cc_patch_apply(a, before, patch, &diags);
        testing_no_errors(&diags);
        /* Create-only properties are unchanged; write-only properties were sent again if there was any change. */
        const struct cc_comparing how = {.arena = a, .skip_write_only = patch->array.n == 0};
        const struct value *got = cc_document_read(a, root, after, NULL, &diags);
        for (size_t i = 0; i < root->n_children; i++) {
            const struct cc_node *child = &root->children[i];
            bool pinned = child->create_only || str_eqz(child->cf_name, "Fixed");
            if (!pinned && !cc_equal_as(&how, child, got->elements[i], y->elements[i]))
                fail_msg("seed %u, " STR_FMT ": %s\n%s\n%s", seed, STR_ARG(child->name), testing_value_text(a, x),
                         testing_value_text(a, y), cc_json_text(a, patch).p);
            if (child->create_only && !child->write_only && !cc_equal(a, child, got->elements[i], x->elements[i]))
                fail_msg("seed %u: " STR_FMT " changed", seed, STR_ARG(child->name));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_are_applied_as_the_standard_says),
        cmocka_unit_test(nobody_can_make_it_work_forever),
        cmocka_unit_test(removals_are_ordered_as_in_awscc),
        cmocka_unit_test(lists_of_keys_are_replaced_as_in_awscc),
        cmocka_unit_test(a_patch_says_what_changes),
        cmocka_unit_test(a_patch_needs_json),
        cmocka_unit_test(long_lists_are_written_anew),
        cmocka_unit_test(patches_do_what_they_are_made_for),
    };
    return cmocka_run_group_tests_name("cloudcontrol/patch", tests, NULL, NULL);
}
