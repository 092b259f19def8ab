#include "cloudcontrol/refresh.h"

#include "cloudcontrol/document.h"
#include "cloudcontrol/testing_documents.h"

#define ARENA struct arena *a ARENA_AUTO = arena_new(NULL, 0)

/* --- facts: the service's documents in the prior order --- */

/* The type that the JSON implies; lists have the type of their first element. */
static const char *type_of(struct arena *a, const struct json *j, const struct json *more)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 16);
    const struct json *first = j->kind != JSON_ARRAY       ? NULL
                               : j->array.n > 0            ? j->array.items[0]
                               : more && more->array.n > 0 ? more->array.items[0]
                                                           : NULL;
    switch (j->kind) {
    case JSON_NUMBER:
        return "\"number\"";
    case JSON_ARRAY:
        return arena_printf(a, "[\"list\",%s]", first ? type_of(a, first, NULL) : "\"string\"").p;
    case JSON_OBJECT:
        for (size_t i = 0; i < j->object.n; i++)
            buf_printf(&out, "%s\"" STR_FMT "\":%s", i > 0 ? "," : "", STR_ARG(j->object.members[i].key),
                       type_of(a, j->object.members[i].value, json_get_str(more, j->object.members[i].key)));
        return arena_printf(a, "[\"object\",{" STR_FMT "}]", STR_ARG(buf_str(&out))).p;
    default:
        return "\"string\"";
    }
}

/* Wraps a bare list in an object, and unwraps the result. */
static const struct json *refresh_json(struct arena *a, const struct json *current, const struct json *prior)
{
    struct diags diags;
    diags_init(&diags, a);
    bool list = current->kind == JSON_ARRAY;
    struct json_member member = {.key = STR("List"), .value = current}, before = {.key = STR("List"), .value = prior};
    const struct json *object = list ? json_make_object(a, &member, 1) : current;
    const struct json *old = list ? json_make_object(a, &before, 1) : prior;
    const struct cc_node *root =
        testing_node(a, testing_jsonz(a, type_of(a, object, old)), &(struct testing_shape){.order = CC_MULTISET});
    const struct value *read = cc_document_read(a, root, object, NULL, &diags);
    const struct value *known = cc_document_read(a, root, old, NULL, &diags);
    const struct json *got = cc_document(a, root, cc_refreshed(a, root, known, read), CC_DOCUMENT_ALL, &diags);
    testing_no_errors(&diags);
    const struct json *in = list ? json_get(got, "List") : got;
    return in ? in : json_make_array(a, NULL, 0);
}

static void arrays_are_ordered_as_in_awscc(void **state)
{
    (void)state;
    ARENA;
    testing_each_case(a, "reorder.json", c)
    {
        struct str op = testing_member(c, "op");
        const struct json *out = json_get(c, "out"), *in = json_get(c, "in");
        if (str_ends(op, STR("_like_prior")) && out->kind != JSON_NULL)
            testing_same_json(a, refresh_json(a, json_get(c, "current"), json_get(c, "prior")), out);
        else if (str_eqz(op, "sort_by_key") || str_eqz(op, "normalize"))
            testing_same_json(a, cc_json_sorted_by_key(a, in), out);
    }
}

static void keys_are_those_of_awscc(void **state)
{
    (void)state;
    ARENA;
    testing_each_case(a, "reorder.json", c)
    {
        struct diags diags;
        diags_init(&diags, a);
        const struct json *in = json_get(c, "in"), *current = json_get(c, "current");
        if (str_eqz(testing_member(c, "op"), "key_of")) {
            const struct cc_node *element = testing_node(a, testing_jsonz(a, type_of(a, in, NULL)), &(struct testing_shape){0});
            const struct value *v = cc_document_read(a, element, in, NULL, &diags);
            assert_true(str_eq(cc_key_of(element, v), testing_member(c, "out")));
        }
        /* Not applicable: the elements have no key, or are not primitive. */
        if (str_eqz(testing_member(c, "op"), "keyed_like_prior") && json_get(c, "out")->kind == JSON_NULL) {
            const struct cc_node *list = testing_node(a, testing_jsonz(a, type_of(a, current, NULL)), &(struct testing_shape){0});
            assert_null(cc_key_node(list->element));
        }
    }
}

/* --- our own --- */

static const char things[] =
    "\"definitions\":{\"Tag\":{\"type\":\"object\",\"properties\":{\"Key\":{\"type\":\"string\"},\"Value\":{\"type\":\"string\"}}"
    "},"
    "\"Marker\":{\"type\":\"object\",\"properties\":{\"X\":{\"type\":\"string\"}}}},"
    "\"properties\":{\"Name\":{\"type\":\"string\"},\"When\":{\"type\":\"string\",\"format\":\"date-time\"},\"Policy\":{\"type\":"
    "\"object\"},"
    "\"Steps\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},\"Labels\":{\"type\":\"object\",\"patternProperties\":{\"\":{"
    "\"type\":\"string\"}}},"
    "\"Bag\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"type\":\"string\"}},"
    "\"Mode\":{\"type\":\"string\",\"default\":\"auto\"},\"Password\":{\"type\":\"string\"},"
    "\"Action\":{\"type\":\"object\",\"properties\":{\"Allow\":{\"$ref\":\"#/definitions/Marker\"},\"Block\":{\"$ref\":\"#/"
    "definitions/Marker\"}}},"
    "\"Tags\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"$ref\":\"#/definitions/Tag\"}},"
    "\"Rules\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"type\":\"object\",\"properties\":{\"A\":{\"type\":"
    "\"string\"},\"Secret\":{"
    "\"type\":\"string\"},\"Ports\":{\"type\":\"array\",\"insertionOrder\":false,\"items\":{\"type\":\"integer\"}}}}},"
    "\"Chain\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"A\":{\"type\":\"string\"},\"Secret\":{"
    "\"type\":\"string\"}}}}},"
    "\"writeOnlyProperties\":[\"/properties/Password\",\"/properties/Rules/*/Secret\",\"/properties/Chain/*/Secret\"]";

struct refresh_case {
    const char *what, *prior, *read, *result;
};

static const struct refresh_case cases[] = {
    {"order of an unordered array", "{\"bag\":[\"c\",\"a\",\"b\",\"a\"]}", "{\"bag\":[\"a\",\"a\",\"b\",\"c\"]}",
     "{\"bag\":[\"c\",\"a\",\"b\",\"a\"]}"},
    {"an ordered array is as it is", "{\"steps\":[\"c\",\"a\"]}", "{\"steps\":[\"a\",\"c\"]}", "{\"steps\":[\"a\",\"c\"]}"},
    {"what went is gone, what came comes last in order", "{\"bag\":[\"c\",\"b\",\"a\"]}",
     "{\"bag\":[\"z\",\"a\",\"y\",\"c\",\"x\"]}", "{\"bag\":[\"c\",\"a\",\"x\",\"y\",\"z\"]}"},
    {"one that changed stays where it was", "{\"bag\":[\"c\",\"b\",\"a\"]}", "{\"bag\":[\"a\",\"x\",\"c\"]}",
     "{\"bag\":[\"c\",\"x\",\"a\"]}"},
    {"duplicates count", "{\"bag\":[\"b\",\"a\",\"b\"]}", "{\"bag\":[\"b\",\"a\"]}", "{\"bag\":[\"b\",\"a\"]}"},
    {"a changed element is known by its key", "{\"tags\":[{\"key\":\"z\",\"value\":\"1\"},{\"key\":\"a\",\"value\":\"1\"}]}",
     "{\"tags\":[{\"key\":\"a\",\"value\":\"2\"},{\"key\":\"m\",\"value\":\"1\"},{\"key\":\"z\",\"value\":\"1\"}]}",
     "{\"tags\":[{\"key\":\"z\",\"value\":\"1\"},{\"key\":\"a\",\"value\":\"2\"},{\"key\":\"m\",\"value\":\"1\"}]}"},
    {"arrays in elements of arrays", "{\"rules\":[{\"a\":\"2\",\"ports\":[9,1]},{\"a\":\"1\",\"ports\":[5,3,4]}]}",
     "{\"rules\":[{\"a\":\"1\",\"ports\":[3,4,5]},{\"a\":\"2\",\"ports\":[1,9]}]}",
     "{\"rules\":[{\"a\":\"2\",\"ports\":[9,1]},{\"a\":\"1\",\"ports\":[5,3,4]}]}"},
    {"the wording of JSON and of times", "{\"policy\":\"{ \\\"b\\\":1, \\\"a\\\":2 }\",\"when\":\"2023-07-25T20:43:16+00:00\"}",
     "{\"policy\":\"{\\\"a\\\":2,\\\"b\\\":1}\",\"when\":\"2023-07-25T20:43:16Z\"}",
     "{\"policy\":\"{ \\\"b\\\":1, \\\"a\\\":2 }\",\"when\":\"2023-07-25T20:43:16+00:00\"}"},
    {"what is really different", "{\"policy\":\"{ }\",\"name\":\"a\"}", "{\"policy\":\"{\\\"a\\\":2}\",\"name\":\"A\"}",
     "{\"policy\":\"{\\\"a\\\":2}\",\"name\":\"A\"}"},
    {"an empty list that the service leaves out", "{\"bag\":[],\"labels\":{},\"rules\":[{\"a\":\"1\",\"ports\":[]}]}",
     "{\"rules\":[{\"a\":\"1\"}]}", "{\"bag\":[],\"labels\":{},\"rules\":[{\"a\":\"1\",\"ports\":[]}]}"},
    {"an empty map that nobody asked for", "{}", "{\"labels\":{}}", "{}"},
    {"a list that is gone", "{\"bag\":[\"a\"]}", "{}", "{}"},
    {"a default that the service leaves out", "{\"mode\":\"auto\"}", "{}", "{\"mode\":\"auto\"}"},
    {"a default that nobody knew of", "{}", "{}", "{\"mode\":\"auto\"}"},
    {"something else than the default is gone", "{\"mode\":\"manual\"}", "{}", "{\"mode\":\"auto\"}"},
    {"what the service never gives back", "{\"password\":\"p\",\"id\":\"i\",\"timeouts\":{\"create\":\"1h\"}}",
     "{\"password\":\"***\"}", "{\"password\":\"p\",\"id\":\"i\",\"timeouts\":{\"create\":\"1h\"}}"},
    {"... in elements that moved", "{\"rules\":[{\"a\":\"1\",\"secret\":\"s1\"},{\"a\":\"2\",\"secret\":\"s2\"}]}",
     "{\"rules\":[{\"a\":\"2\"},{\"a\":\"1\"}]}",
     "{\"rules\":[{\"a\":\"1\",\"secret\":\"s1\"},{\"a\":\"2\",\"secret\":\"s2\"}]}"},
    {"... in ordered ones too",
     "{\"chain\":[{\"a\":\"1\",\"secret\":\"s1\"},{\"a\":\"2\",\"secret\":\"s2\"},{\"a\":\"3\",\"secret\":\"s3\"}]}",
     "{\"chain\":[{\"a\":\"2\"},{\"a\":\"3\"},{\"a\":\"4\"}]}",
     "{\"chain\":[{\"a\":\"2\",\"secret\":\"s2\"},{\"a\":\"3\",\"secret\":\"s3\"},{\"a\":\"4\"}]}"},
    {"an empty object that the service leaves out", "{\"action\":{\"allow\":{}}}", "{}", "{\"action\":{\"allow\":{}}}"},
    {"... or what is in it", "{\"action\":{\"allow\":{}}}", "{\"action\":{}}", "{\"action\":{\"allow\":{}}}"},
    {"an empty object that became another", "{\"action\":{\"allow\":{}}}", "{\"action\":{\"block\":{}}}",
     "{\"action\":{\"block\":{}}}"},
};

static void a_refresh_shows_what_changed(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct refresh_case *c = &cases[i];
        struct str want = STR_EMPTY;
        const struct value *prior = testing_value(a, root->type, c->prior), *read = testing_value(a, root->type, c->read);
        const struct value *got = cc_refreshed(a, root, prior, read), *again = cc_refreshed(a, root, got, read);
        /* Attributes have their defaults unless the case sets them. */
        const char *text = c->result;
        if (!strstr(text, "mode"))
            want = arena_printf(a, "%.*s%s\"mode\":\"auto\"}", (int)strlen(text) - 1, text, strlen(text) > 2 ? "," : "");
        const struct value *expected = testing_value(a, root->type, want.n > 0 ? want.p : text);
        if (!value_raw_eq(got, expected))
            fail_msg("%s: got %s, want %s", c->what, testing_value_text(a, got), testing_value_text(a, expected));
        if (!value_raw_eq(got, again))
            fail_msg("%s: refreshed once %s, twice %s", c->what, testing_value_text(a, got), testing_value_text(a, again));
    }
}

static void elements_that_look_alike_when_read_stay(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root =
        testing_thing(
            a, CFN_MODE_DEFAULT,
            "\"properties\":{\"Users\":{\"type\":\"array\",\"insertionOrder\":false,\"uniqueItems\":true,\"items\":{\"type\":"
            "\"object\",\"properties\":{\"A\":{\"type\":\"string\"},\"Secret\":{\"type\":\"string\"}}}}},"
            "\"writeOnlyProperties\":[\"/properties/Users/*/Secret\"]")
            ->root;
    const struct value *prior = testing_value(a, root->type,
                                              "{\"users\":[{\"a\":\"1\",\"secret\":\"s\"},{\"a\":\"1\",\"secret\":\"t\"},{\"a\":"
                                              "\"2\",\"secret\":\"s\"},{\"a\":\"1\"}]}");
    testing_is(a, cc_refreshed(a, root, prior, testing_value(a, root->type, "{\"users\":[{\"a\":\"1\"},{\"a\":\"2\"}]}")),
               testing_value_text(a, prior));
    testing_is(a, cc_refreshed(a, root, prior, testing_value(a, root->type, "{\"users\":[{\"a\":\"2\"}]}")),
               "{\"users\":[{\"a\":\"2\",\"secret\":\"s\"}]}");
}

static void a_default_stands_for_what_an_import_cannot_know(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root =
        testing_thing(a, CFN_MODE_DEFAULT,
                      "\"properties\":{\"Force\":{\"type\":\"boolean\",\"default\":false},\"Password\":{\"type\":\"string\"}},"
                      "\"writeOnlyProperties\":[\"/properties/Force\",\"/properties/Password\"]")
            ->root;
    const struct value *nothing = testing_value(a, root->type, "{}");
    testing_is(a, cc_refreshed(a, root, nothing, nothing), "{\"force\":false}");
    testing_is(a, cc_refreshed(a, root, testing_value(a, root->type, "{\"force\":true}"), nothing), "{\"force\":true}");
    testing_is(a, cc_in_fixed_order(a, root, nothing), "{}");
}

/* The state of an import has only an id: ordered arrays have the service's order. */
static void an_import_keeps_the_order_of_the_service(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_STRICT, things)->root;
    const struct value *read =
        testing_value(a, root->type, "{\"bag\":[\"b\",\"a\",\"b\"],\"steps\":[\"run\",\"clean\",\"run\"]}");
    const struct value *imported = testing_value(a, root->type, "{\"id\":\"i\"}");
    testing_is(a, cc_refreshed(a, root, imported, read),
               "{\"id\":\"i\",\"bag\":[\"a\",\"b\",\"b\"],\"mode\":\"auto\",\"steps\":[\"run\",\"clean\",\"run\"]}");
}

static void without_a_past_there_is_a_fixed_order(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT, things)->root;
    const struct value *read = testing_value(
        a, root->type,
        "{\"bag\":[\"b\",\"a\",\"b\"],\"steps\":[\"b\",\"a\"],\"rules\":[{\"a\":\"2\",\"ports\":[2,1]},{\"a\":\"1\"}]}");
    testing_is(a, cc_in_fixed_order(a, root, read),
               "{\"bag\":[\"a\",\"b\",\"b\"],\"steps\":[\"b\",\"a\"],\"rules\":[{\"a\":\"1\"},{\"a\":\"2\",\"ports\":[1,2]}]}");
}

/* Strict mode: sorts lists whose elements have a Key, even ordered ones; all others stay as returned. */
static void without_a_past_awscc_sorts_keys(void **state)
{
    (void)state;
    ARENA;
    static const char *const documents[][2] = {
        {"{\"Ports\":[443,80]}", "{\"Ports\":[443,80]}"},
        {"{\"Names\":[\"b\",\"a\",\"b\"]}", "{\"Names\":[\"b\",\"a\",\"b\"]}"},
        {"{\"Rules\":[{\"Name\":\"b\"},{\"Name\":\"a\"}]}", "{\"Rules\":[{\"Name\":\"b\"},{\"Name\":\"a\"}]}"},
        {"{\"Tags\":[{\"Key\":\"b\",\"V\":\"1\"},{\"Key\":\"a\",\"V\":\"2\"},{\"Key\":\"b\",\"V\":\"0\"}]}",
         "{\"Tags\":[{\"Key\":\"a\",\"V\":\"2\"},{\"Key\":\"b\",\"V\":\"1\"},{\"Key\":\"b\",\"V\":\"0\"}]}"},
        {"{\"Tags\":[{\"Key\":\"b\",\"V\":\"1\"},{\"V\":\"2\"},{\"Key\":\"a\",\"V\":\"0\"}]}",
         "{\"Tags\":[{\"Key\":\"b\",\"V\":\"1\"},{\"V\":\"2\"},{\"Key\":\"a\",\"V\":\"0\"}]}"},
        {"{\"Rules\":[{\"Name\":\"b\",\"Tags\":[{\"key\":\"z\"},{\"key\":\"y\"}]},{\"Name\":\"a\"}]}",
         "{\"Rules\":[{\"Name\":\"b\",\"Tags\":[{\"key\":\"y\"},{\"key\":\"z\"}]},{\"Name\":\"a\"}]}"},
        {"{\"Groups\":[{\"Key\":\"b\",\"Tags\":[{\"Key\":\"z\"},{\"Key\":\"y\"}]},{\"Key\":\"a\"}]}",
         "{\"Groups\":[{\"Key\":\"a\"},{\"Key\":\"b\",\"Tags\":[{\"Key\":\"z\"},{\"Key\":\"y\"}]}]}"},
        {"{\"Odd\":[{\"Key\":\"b\"},{\"Key\":1},{\"Key\":null,\"key\":\"a\"}]}",
         "{\"Odd\":[{\"Key\":1},{\"Key\":null,\"key\":\"a\"},{\"Key\":\"b\"}]}"},
    };
    for (size_t i = 0; i < sizeof documents / sizeof documents[0]; i++)
        testing_same_json(a, cc_json_sorted_by_key(a, testing_jsonz(a, documents[i][0])), testing_jsonz(a, documents[i][1]));
}

static void an_empty_default_is_taken_where_nothing_was_known(void **state)
{
    (void)state;
    ARENA;
    const struct cc_node *root = testing_thing(a, CFN_MODE_DEFAULT,
                                               "\"properties\":{\"Plain\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
                                               "\"Usual\":{\"type\":\"array\",\"default\":[],\"items\":{\"type\":\"string\"}}}")
                                     ->root;
    const struct value *prior = testing_value(a, root->type, "{}");
    const struct value *read = testing_value(a, root->type, "{\"plain\":[],\"usual\":[]}");
    testing_is(a, cc_refreshed(a, root, prior, read), "{\"usual\":[]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_are_ordered_as_in_awscc),
        cmocka_unit_test(keys_are_those_of_awscc),
        cmocka_unit_test(a_refresh_shows_what_changed),
        cmocka_unit_test(elements_that_look_alike_when_read_stay),
        cmocka_unit_test(a_default_stands_for_what_an_import_cannot_know),
        cmocka_unit_test(an_import_keeps_the_order_of_the_service),
        cmocka_unit_test(without_a_past_there_is_a_fixed_order),
        cmocka_unit_test(without_a_past_awscc_sorts_keys),
        cmocka_unit_test(an_empty_default_is_taken_where_nothing_was_known),
    };
    return cmocka_run_group_tests_name("cloudcontrol/refresh", tests, NULL, NULL);
}
