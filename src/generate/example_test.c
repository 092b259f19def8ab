/* Examples as text, and parsed back. tests/scenario/crossplane_package shows that API servers accept them. */
#include "generate/example.h"

#include "crossplane/testing_crossplane.h"
#include "yaml/yaml.h"

static const char *example_of(struct arena *a, struct str type, const char *block, const char *yaml, enum xp_flavour flavour)
{
    struct testing_kind t = testing_build_type(a, type, block, yaml, COMPAT_OWN);
    testing_no_errors(&t.diags);
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    example_write(&out, &t.kind, flavour);
    return buf_copy(&out, a).p;
}

static const char *example(struct arena *a, const char *block, const char *yaml)
{
    return example_of(a, STR("x_thing_kind"), block, yaml, FLAVOUR_NAMESPACED);
}

static struct yaml_documents parse(struct arena *a, const char *text)
{
    struct diags diags;
    diags_init(&diags, a);
    struct yaml_documents documents;
    (void)yaml_parse_all(a, str_of(text), "example", &diags, &documents);
    testing_no_errors(&diags);
    return documents;
}

static const char *json_of(struct arena *a, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct json_writer w = {.out = &out};
    json_write(&w, j);
    (void)json_finish(&w);
    return buf_copy(&out, a).p;
}

#define ATTR(name, type, more) "\"" name "\":{\"type\":" type "," more "}"
#define REQUIRED "\"required\":true"
#define TEXT "\"string\""

static void least(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *block = "{\"attributes\":{" ATTR("size", "\"number\"", REQUIRED) "," ATTR("on", "\"bool\"", REQUIRED) "," ATTR(
        "vpc_id", TEXT, REQUIRED) "," ATTR("names", "[\"set\",\"string\"]",
                                           REQUIRED) "," ATTR("labels", "[\"map\",\"number\"]",
                                                              REQUIRED) "," ATTR("free", "\"dynamic\"", REQUIRED) "," //
        ATTR("title", TEXT, REQUIRED ",\"description\":\"(Required) Its title, e.g. a word. More about it.\"") "," ATTR(
            "extra", TEXT,
            "\"optional\":true") "," ATTR("state", TEXT,
                                          "\"computed\":true") "},"
                                                               "\"block_types\":{\"rule\":{\"nesting_mode\":\"list\",\"min_"
                                                               "items\":1,\"block\":{\"attributes\":{" ATTR(
                                                                   "port", "\"number\"",
                                                                   REQUIRED
                                                                   ",\"description\":\"The port\"") "," ATTR("note", TEXT,
                                                                                                             "\"optional\":"
                                                                                                             "true") "}}},"
                                                                                                                     "\"bar"
                                                                                                                     "e\":{"
                                                                                                                     "\"nes"
                                                                                                                     "ting_"
                                                                                                                     "mode"
                                                                                                                     "\":"
                                                                                                                     "\"set"
                                                                                                                     "\","
                                                                                                                     "\"min"
                                                                                                                     "_item"
                                                                                                                     "s\":"
                                                                                                                     "1,"
                                                                                                                     "\"blo"
                                                                                                                     "ck\":"
                                                                                                                     "{}},"
                                                                                                                     "\"one"
                                                                                                                     "\":{"
                                                                                                                     "\"nes"
                                                                                                                     "ting_"
                                                                                                                     "mode"
                                                                                                                     "\":"
                                                                                                                     "\"lis"
                                                                                                                     "t\","
                                                                                                                     "\"min"
                                                                                                                     "_item"
                                                                                                                     "s\":"
                                                                                                                     "1,"
                                                                                                                     "\"max"
                                                                                                                     "_item"
                                                                                                                     "s\":"
                                                                                                                     "1,"
                                                                                                                     "\"blo"
                                                                                                                     "ck\":"
                                                                                                                     "{}},"
                                                                                                                     "\"oth"
                                                                                                                     "er\":"
                                                                                                                     "{\"ne"
                                                                                                                     "sting"
                                                                                                                     "_mode"
                                                                                                                     "\":"
                                                                                                                     "\"lis"
                                                                                                                     "t\","
                                                                                                                     "\"blo"
                                                                                                                     "ck\":"
                                                                                                                     "{\"at"
                                                                                                                     "tribu"
                                                                                                                     "tes\""
                                                                                                                     ":"
                                                                                                                     "{" ATTR(
                                                                                                                         "a",
                                                                                                                         TEXT,
                                                                                                                         REQUIRED) "}}}}}";
    const char *yaml = "provider: x\nresources:\n  x_*: {references: {vpc_id: x_vpc}}\n";
    assert_string_equal(example(a, block, yaml), "apiVersion: thing.x.m.terrane.dev/v1alpha1\n"
                                                 "kind: Kind\n"
                                                 "metadata:\n"
                                                 "  name: example\n"
                                                 "  namespace: default\n"
                                                 "spec:\n"
                                                 "  forProvider:\n"
                                                 "    bare:\n"
                                                 "    - {}\n"
                                                 "    free: {}\n"
                                                 "    labels:\n"
                                                 "      key: 1\n"
                                                 "    names:\n"
                                                 "    - example-names\n"
                                                 "    \"on\": false\n"
                                                 "    one: {}\n"
                                                 "    rule:\n"
                                                 "    # The port\n"
                                                 "    - port: 1\n"
                                                 "    size: 1\n"
                                                 "    # Its title, e.g. a word.\n"
                                                 "    title: example-title\n"
                                                 "    # Reference to a VPC in x to populate vpcId.\n"
                                                 "    vpcIdRef:\n"
                                                 "      name: example\n"
                                                 "  providerConfigRef:\n"
                                                 "    kind: ClusterProviderConfig\n"
                                                 "    name: default\n");
    assert_string_equal(example(a, "{}", NULL), "apiVersion: thing.x.m.terrane.dev/v1alpha1\n"
                                                "kind: Kind\n"
                                                "metadata:\n"
                                                "  name: example\n"
                                                "  namespace: default\n"
                                                "spec:\n"
                                                "  forProvider: {}\n"
                                                "  providerConfigRef:\n"
                                                "    kind: ClusterProviderConfig\n"
                                                "    name: default\n");
}

static void secrets(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
#define SECRET REQUIRED ",\"sensitive\":true"
    const char *block =
        "{\"attributes\":{" ATTR("password", TEXT, SECRET) "," ATTR("keys", "[\"list\",\"string\"]", SECRET) "," ATTR(
            "all", "[\"map\",\"string\"]",
            SECRET) "," ATTR("pair", "[\"object\",{\"n\":\"number\",\"l\":[\"list\",\"bool\"],\"m\":[\"map\",\"string\"]}]",
                             SECRET) "," ATTR("token", TEXT, "\"computed\":true,\"sensitive\":true") "}}";
    struct yaml_documents d = parse(a, example_of(a, STR("x_thing_kind"), block, NULL, FLAVOUR_CLUSTER));
    assert_int_equal(d.n, 3);
    assert_string_equal(json_of(a, json_get(d.v[0], "metadata")), "{\"name\":\"example\"}");
    assert_string_equal(json_of(a, json_get(d.v[0], "spec")),
                        "{\"forProvider\":{\"allSecretRef\":{\"name\":\"example-kind-all\",\"namespace\":\"default\"},"
                        "\"keysSecretRef\":[{\"key\":\"keys\",\"name\":\"example-kind\",\"namespace\":\"default\"}],"
                        "\"pairSecretRef\":{\"key\":\"pair\",\"name\":\"example-kind\",\"namespace\":\"default\"},"
                        "\"passwordSecretRef\":{\"key\":\"password\",\"name\":\"example-kind\",\"namespace\":\"default\"}},"
                        "\"providerConfigRef\":{\"name\":\"default\"},"
                        "\"writeConnectionSecretToRef\":{\"name\":\"example-kind-connection\",\"namespace\":\"default\"}}");
    assert_string_equal(json_of(a, json_get(d.v[1], "stringData")), "{\"key\":\"example-all\"}");
    assert_string_equal(json_of(a, d.v[2]),
                        "{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"metadata\":{\"name\":\"example-kind\",\"namespace\":"
                        "\"default\"},\"stringData\":{\"keys\":\"example-keys\",\"pair\":\"{\\\"l\\\":[false],\\\"m\\\":{"
                        "\\\"key\\\":\\\"example-m\\\"},\\\"n\\\":1}\\n\",\"password\":\"example-password\"}}");
    const struct json *spec = json_get(parse(a, example(a, block, NULL)).v[0], "spec");
    assert_string_equal(json_of(a, json_get(spec, "writeConnectionSecretToRef")), "{\"name\":\"example-kind-connection\"}");
}

/* Nested values: lists in lists, maps of objects, merge keys. */
static void nested(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const struct {
        const char *type, *value;
    } cases[] = {
        {"[\"list\",[\"list\",\"string\"]]", "[[\"example-v\"]]"},
        {"[\"list\",[\"set\",[\"list\",\"number\"]]]", "[[[1]]]"},
        {"[\"list\",[\"list\",[\"object\",{\"a\":\"bool\",\"b\":\"string\"}]]]", "[[{\"a\":false,\"b\":\"example-b\"}]]"},
        {"[\"list\",[\"map\",\"string\"]]", "[{\"key\":\"example-v\"}]"},
        {"[\"map\",[\"object\",{\"a\":[\"list\",\"string\"]}]]", "{\"key\":{\"a\":[\"example-a\"]}}"},
        {"[\"map\",[\"list\",[\"map\",\"bool\"]]]", "{\"key\":[{\"key\":false}]}"},
        {"[\"list\",\"dynamic\"]", "[{}]"},
        {"[\"tuple\",[\"string\",\"bool\"]]", "[{}]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str block = arena_printf(a, "{\"attributes\":{\"v\":{\"type\":%s,\"required\":true}}}", cases[i].type);
        const struct json *spec = json_get(parse(a, example(a, block.p, NULL)).v[0], "spec");
        assert_string_equal(json_of(a, json_get(json_get(spec, "forProvider"), "v")), cases[i].value);
    }
    const char *rules = "{\"block_types\":{\"rule\":{\"nesting_mode\":\"set\",\"min_items\":1,\"block\":{\"attributes\":{" ATTR(
        "id", TEXT, "\"optional\":true") "}}}}}";
    const char *yaml = "provider: x\nresources:\n  x_*: {fields: {rule: {merge: {list_type: map, keys: [id]}}}}\n";
    const struct json *spec = json_get(parse(a, example(a, rules, yaml)).v[0], "spec");
    assert_string_equal(json_of(a, json_get(spec, "forProvider")), "{\"rule\":[{\"id\":\"example-id\"}]}");
}

/* Provider descriptions cannot break out of a comment. */
static void comments(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const char *const texts[] = {"a\\nb: c",    "a\\u2028b: c", "a\\u0085b: c",       "a\\rb: c", "\\u0007\\ufeff",
                                        "\\u0000b: c", "# - \\\" {",   "\\u00e9 \\u65e5. x", "",         "\\n\\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct str block = arena_printf(
            a, "{\"attributes\":{\"v\":{\"type\":[\"list\",\"string\"],\"required\":true,\"description\":\"%s\"}}}", texts[i]);
        const struct json *spec = json_get(parse(a, example(a, block.p, NULL)).v[0], "spec");
        assert_string_equal(json_of(a, json_get(spec, "forProvider")), "{\"v\":[\"example-v\"]}");
    }
    char long_text[1000];
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = 0;
    struct str block =
        arena_printf(a, "{\"attributes\":{\"v\":{\"type\":\"string\",\"required\":true,\"description\":\"%s\"}}}", long_text);
    assert_true(strlen(example(a, block.p, NULL)) < 400);
}

static void external_names(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const struct {
        const char *strategy, *annotation;
    } cases[] = {
        {"{strategy: provider}", NULL},
        {"{strategy: name}", "example-name"},
        {"{strategy: parameter, field: the_bucket}", "example-the-bucket"},
        {"{strategy: template, field: name, template: \"{{ .parameters.vpc }}/{{ .external_name }}\"}", "example-name"},
    };
    const char *block = "{\"attributes\":{" ATTR("name", TEXT, REQUIRED) "," ATTR("the_bucket", TEXT,
                                                                                  REQUIRED) "," ATTR("vpc", TEXT, REQUIRED) "}}";
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str yaml = arena_printf(a, "provider: x\nresources:\n  x_*: {external_name: %s}\n", cases[i].strategy);
        const struct json *meta = json_get(parse(a, example(a, block, yaml.p)).v[0], "metadata");
        const struct json *name = json_get(json_get(meta, "annotations"), "crossplane.io/external-name");
        if (cases[i].annotation)
            assert_string_equal(json_text(name, STR("(none)")).p, cases[i].annotation);
        else
            assert_null(name);
    }
}

static void data_sources(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *block = "{\"attributes\":{" ATTR("id", TEXT, REQUIRED) "," ATTR("name", TEXT, "\"computed\":true") "}}";
    const struct json *o = parse(a, example_of(a, STR("data.x_thing_kind"), block, NULL, FLAVOUR_NAMESPACED)).v[0];
    assert_string_equal(json_text(json_get(o, "kind"), STR_EMPTY).p, "KindDataSource");
    assert_string_equal(json_of(a, json_get(json_get(o, "spec"), "forProvider")), "{\"id\":\"example-id\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(least),    cmocka_unit_test(secrets),        cmocka_unit_test(nested),
        cmocka_unit_test(comments), cmocka_unit_test(external_names), cmocka_unit_test(data_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
