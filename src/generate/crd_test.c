/* The whole document, parsed back. model_test.c tests the contents of the trees. */
#include "generate/crd.h"

#include "crossplane/testing_crossplane.h"
#include "yaml/yaml.h"

struct written {
    const struct json *crd;
    struct xp_notes notes;
    size_t json_bytes;
};

static struct written write_crd_with(struct arena *a, const char *block, const char *yaml, enum xp_flavour flavour,
                                     const struct crd_webhook *webhook)
{
    struct testing_kind t = testing_build(a, block, yaml, COMPAT_OWN);
    testing_no_errors(&t.diags);
    struct buf out BUF_AUTO = BUF_INIT(CRD_MAX_TEXT), json BUF_AUTO = BUF_INIT(CRD_MAX_TEXT);
    struct written w = {.notes = {.arena = a}};
    assert_true(crd_write(&out, &t.kind, flavour, webhook, &w.notes, &t.diags));
    w.crd = yaml_parse(a, buf_str(&out), "crd", &t.diags);
    testing_no_errors(&t.diags);
    struct json_writer writer = {.out = &json};
    json_write(&writer, w.crd);
    (void)json_finish(&writer);
    w.json_bytes = json.n;
    return w;
}

static struct written write_crd(struct arena *a, const char *block, const char *yaml, enum xp_flavour flavour)
{
    return write_crd_with(a, block, yaml, flavour, NULL);
}

static const char *text_at(const struct json *j, const char *path)
{
    const struct json *found = testing_at(j, path);
    if (!found)
        fail_msg("nothing at %s", path);
    return json_text(found, STR("(no text)")).p;
}

#define SCHEMA "spec versions 0 schema openAPIV3Schema properties "
static const char block[] =
    "{\"attributes\":{\"name\":{\"type\":\"string\",\"required\":true,\"description\":\"(Required) Its name: "
    "short.\\nSecond # line\",\"deprecated\":true,\"deprecation_message\":\"use id\"},\"password\":{\"type\":"
    "\"string\",\"required\":true,\"sensitive\":true},\"vpc_id\":{\"type\":\"string\",\"optional\":true}}}";

static void both_flavours(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *yaml =
        "provider: x\nresources:\n  x_*:\n    references: {vpc_id: x_vpc}\n    immutable: [name]\n    short_names: [tk]\n"
        "    cluster: {other_versions: [v1]}\n";
    const struct json *n = write_crd(a, block, yaml, FLAVOUR_NAMESPACED).crd, *c = write_crd(a, block, yaml, FLAVOUR_CLUSTER).crd;
    assert_string_equal(text_at(n, "metadata name"), "kinds.thing.x.m.terrane.dev");
    assert_string_equal(text_at(c, "metadata name"), "kinds.thing.x.terrane.dev");
    assert_string_equal(text_at(n, "spec scope"), "Namespaced");
    assert_string_equal(text_at(c, "spec scope"), "Cluster");
    assert_string_equal(text_at(n, "spec names categories 2"), "x");
    assert_string_equal(text_at(n, "spec names shortNames 0"), "tk");
    assert_null(testing_at(n, SCHEMA "spec properties forProvider properties passwordSecretRef properties namespace"));
    assert_non_null(testing_at(c, SCHEMA "spec properties forProvider properties passwordSecretRef properties namespace"));
    assert_non_null(testing_at(n, SCHEMA "spec properties forProvider properties vpcIdRef properties namespace"));
    assert_null(testing_at(c, SCHEMA "spec properties forProvider properties vpcIdRef properties namespace"));
    assert_null(testing_at(n, SCHEMA "spec properties deletionPolicy"));
    assert_string_equal(text_at(c, SCHEMA "spec properties deletionPolicy default"), "Delete");
    assert_string_equal(text_at(n, SCHEMA "spec properties forProvider properties name description"),
                        "Its name: short.\nSecond # line\nDeprecated: use id");
    assert_string_equal(text_at(n, SCHEMA "spec properties forProvider properties name x-kubernetes-validations 0 rule"),
                        "self == oldSelf");
    assert_null(testing_at(n, SCHEMA "spec properties initProvider properties name x-kubernetes-validations"));
    assert_string_equal(text_at(n, SCHEMA "spec x-kubernetes-validations 0 message"),
                        "spec.forProvider.name is a required parameter");
    assert_string_equal(text_at(n, SCHEMA "spec x-kubernetes-validations 1 rule"),
                        "!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in "
                        "self.managementPolicies) || has(self.forProvider.passwordSecretRef)");
}

/* A version in which clusters may store objects stays, before the served one. `testing_build` is namespaced, so a setting under
 * `cluster` does not apply. */
static void other_versions(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *crd =
        write_crd(a, block, "provider: x\nresources:\n  x_*: {version: v2, other_versions: [v1]}\n", FLAVOUR_NAMESPACED).crd;
    assert_string_equal(text_at(crd, "spec versions 0 name"), "v1");
    assert_false(json_bool(testing_at(crd, "spec versions 0 served"), true));
    assert_string_equal(text_at(crd, "spec versions 1 name"), "v2");
    assert_true(json_bool(testing_at(crd, "spec versions 1 served"), false) &&
                json_bool(testing_at(crd, "spec versions 1 storage"), false));
}

#define OLDER "spec versions 0 schema openAPIV3Schema properties spec properties "
/* What an older version calls otherwise, it has: an API server would drop it before it asks the webhook. */
static void older_names_of_fields(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct crd_webhook webhook = {.url = STR("https://127.0.0.1/convert")};
    const struct json *crd =
        write_crd_with(a,
                       "{\"attributes\":{\"name\":{\"type\":\"string\",\"required\":true},\"size\":{\"type\":\"number\","
                       "\"optional\":true},\"arn\":{\"type\":\"string\",\"computed\":true},\"mode\":{\"type\":\"string\","
                       "\"optional\":true}},\"block_types\":{\"disk\":{"
                       "\"nesting_mode\":\"list\",\"max_items\":1,\"block\":{\"attributes\":{\"gb\":{\"type\":\"number\","
                       "\"optional\":true}}}}}}",
                       "provider: x\nresources:\n  x_*:\n    version: v2\n    other_versions: [v1]\n"
                       "    renamed: {title: name, disk.amount: disk.gb, gone.size: size, mode.size: size, nothing: nowhere}\n",
                       FLAVOUR_NAMESPACED, &webhook)
            .crd;
    assert_string_equal(text_at(crd, "spec versions 0 name"), "v1");
    assert_string_equal(text_at(crd, OLDER "forProvider properties title type"), "string");
    assert_string_equal(text_at(crd, OLDER "initProvider properties title type"), "string");
    assert_string_equal(text_at(crd, OLDER "forProvider properties disk items properties amount type"), "number");
    assert_string_equal(text_at(crd, OLDER "forProvider properties disk items properties gb type"), "number");
    assert_string_equal(text_at(crd, OLDER "forProvider properties gone items properties size type"), "number");
    assert_null(testing_at(crd, OLDER "forProvider properties mode type"));
    assert_true(json_bool(testing_at(crd, OLDER "forProvider properties mode x-kubernetes-preserve-unknown-fields"), false));
    assert_null(testing_at(crd, OLDER "forProvider properties nothing"));
    const char *rule = text_at(crd, "spec versions 0 schema openAPIV3Schema properties spec x-kubernetes-validations 0 rule");
    assert_non_null(strstr(rule, " || has(self.forProvider.title) || (has(self.initProvider) && has(self.initProvider.title))"));
    assert_null(
        testing_at(crd, "spec versions 1 schema openAPIV3Schema properties spec properties forProvider properties title"));
    rule = text_at(crd, "spec versions 1 schema openAPIV3Schema properties spec x-kubernetes-validations 0 rule");
    assert_null(strstr(rule, "title"));
}

/* CEL cannot see parameters of any type: their rule is plain OpenAPI. */
static void rules_that_cel_cannot_say(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *crd =
        write_crd(a,
                  "{\"attributes\":{\"manifest\":{\"type\":\"dynamic\",\"required\":true},\"name\":{\"type\":\"string\","
                  "\"required\":true},\"steps\":{\"type\":[\"list\",\"dynamic\"],\"required\":true}}}",
                  NULL, FLAVOUR_NAMESPACED)
            .crd;
    assert_string_equal(text_at(crd, SCHEMA "spec allOf 0 anyOf 0 properties forProvider required 0"), "manifest");
    assert_string_equal(text_at(crd, SCHEMA "spec allOf 0 anyOf 1 properties initProvider required 0"), "manifest");
    assert_string_equal(text_at(crd, SCHEMA "spec allOf 0 anyOf 1 required 0"), "initProvider");
    assert_string_equal(text_at(crd, SCHEMA "spec allOf 0 anyOf 2 properties managementPolicies items enum 0"), "Observe");
    assert_string_equal(text_at(crd, SCHEMA "spec allOf 1 anyOf 0 properties forProvider required 0"), "steps");
    assert_string_equal(text_at(crd, SCHEMA "spec x-kubernetes-validations 0 message"),
                        "spec.forProvider.name is a required parameter");
    assert_null(testing_at(crd, SCHEMA "spec x-kubernetes-validations 1"));
}

/* The kind Kinds is the plural of another kind; so it gets another plural and another singular. */
static void singular_of_a_plural(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *crd =
        write_crd(a, block, "provider: x\nresources:\n  x_*: {kind: Kinds, plural: kindses}\n", FLAVOUR_NAMESPACED).crd;
    assert_string_equal(text_at(crd, "spec names singular"), "kindses");
    crd = write_crd(a, block, "provider: x\nresources:\n  x_*: {kind: Kinds}\n", FLAVOUR_NAMESPACED).crd;
    assert_string_equal(text_at(crd, "spec names singular"), "kinds");
    crd = write_crd(a, block, "provider: x\nresources:\n  x_*: {kind: Address}\n", FLAVOUR_NAMESPACED).crd;
    assert_string_equal(text_at(crd, "spec names plural"), "addresses");
    assert_string_equal(text_at(crd, "spec names singular"), "address");
}

/* Blocks in blocks, `width` of them at each of `depth` levels, with as many attributes. */
static void add_blocks(struct buf *out, int depth, int width, const char *description)
{
    buf_addz(out, "{\"attributes\":{");
    for (int i = 0; i < width; i++)
        buf_printf(out, "%s\"attribute_number_%d\":{\"type\":\"string\",\"optional\":true,\"description\":\"%s\"}", i ? "," : "",
                   i, description);
    buf_addz(out, "}");
    for (int i = 0; depth > 0 && i < width; i++) {
        buf_printf(out, "%s\"block_%d\":{\"nesting_mode\":\"list\",\"block\":", i ? "," : ",\"block_types\":{", i);
        add_blocks(out, depth - 1, width, description);
        buf_addz(out, i + 1 < width ? "}" : "}}");
    }
    buf_addz(out, "}");
}

static void large_kinds_are_cut(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf text BUF_AUTO = BUF_INIT(CRD_MAX_TEXT);
    add_blocks(&text, 4, 9, "");
    struct written w = write_crd(a, buf_copy(&text, a).p, NULL, FLAVOUR_NAMESPACED);
    assert_true(w.json_bytes <= CRD_MAX_JSON && w.json_bytes > CRD_MAX_JSON / 4);
    assert_int_equal(w.notes.n, 1);
    assert_string_equal(w.notes.v[0].text.p,
                        "Too large for the API server: what lies deeper than 4 levels in forProvider and 3 in "
                        "initProvider and 3 in atProvider is accepted unchecked.");
    /* Users' input is checked to a greater depth than the rest. */
    const char *third =
        "properties block0 items properties block0 items properties block0 items properties attributeNumber0 type";
    assert_non_null(testing_at(w.crd, arena_printf(a, SCHEMA "spec properties forProvider %s", third).p));
    assert_null(testing_at(w.crd, arena_printf(a, SCHEMA "spec properties initProvider %s", third).p));
    /* Few fields with long descriptions: only the descriptions are dropped. */
    buf_clear(&text);
    char *words = arena_alloc(a, 2001, 1);
    memset(words, 'w', 2000);
    add_blocks(&text, 2, 8, words);
    w = write_crd(a, buf_copy(&text, a).p, NULL, FLAVOUR_NAMESPACED);
    assert_true(w.json_bytes < CRD_MAX_JSON);
    assert_int_equal(w.notes.n, 1);
    assert_non_null(strstr(w.notes.v[0].text.p, "written without"));
    assert_non_null(testing_at(w.crd,
                               SCHEMA "status properties atProvider properties block0 items properties block0 items properties "
                                      "attributeNumber0 type"));
}

static void texts_that_yaml_would_mistake(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *crd =
        write_crd(a,
                  "{\"attributes\":{\"on\":{\"type\":\"bool\",\"optional\":true,\"description\":\"null\"},\"y\":{"
                  "\"type\":\"bool\",\"optional\":true,\"description\":\"\\u007f\\u0085 \\u2028 \\\" \\\\ \\t|\"},"
                  "\"12e3\":{\"type\":\"bool\",\"optional\":true,\"description\":\"- a: b\"}}}",
                  NULL, FLAVOUR_NAMESPACED)
            .crd;
    assert_string_equal(text_at(crd, SCHEMA "spec properties forProvider properties on description"), "null");
    assert_string_equal(text_at(crd, SCHEMA "spec properties forProvider properties y description"),
                        "\x7f\xc2\x85 \xe2\x80\xa8 \" \\ \t|");
    assert_string_equal(text_at(crd, SCHEMA "spec properties forProvider properties 12e3 description"), "a: b");
}

/* The output of Upjet before 1.0 for the same kind. */
static void the_frame_of_2023(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *now = write_crd(a, block, NULL, FLAVOUR_CLUSTER).crd;
    const struct json *old = write_crd(a, block, "provider: x\nold_envelope: true\n", FLAVOUR_CLUSTER).crd;
    assert_string_equal(text_at(now, "spec versions 0 additionalPrinterColumns 0 name"), "SYNCED");
    assert_string_equal(text_at(old, "spec versions 0 additionalPrinterColumns 0 name"), "READY");
    assert_string_equal(text_at(old, "spec versions 0 additionalPrinterColumns 1 name"), "SYNCED");
    assert_string_equal(text_at(old, "spec versions 0 additionalPrinterColumns 3 name"), "AGE");
    static const char *const added[] = {"status properties observedGeneration", "status properties lastHandledReconcileAt",
                                        "status properties conditions x-kubernetes-list-type",
                                        "status properties conditions x-kubernetes-list-map-keys",
                                        "status properties conditions items properties observedGeneration"};
    for (size_t i = 0; i < sizeof added / sizeof added[0]; i++) {
        const char *path = arena_printf(a, SCHEMA "%s", added[i]).p;
        if (!testing_at(now, path) || testing_at(old, path))
            fail_msg("%s", added[i]);
    }
    assert_non_null(testing_at(old, SCHEMA "status properties conditions items properties lastTransitionTime"));
    const char *policies = "!('*' in self.managementPolicies || 'Create' in self.managementPolicies || 'Update' in "
                           "self.managementPolicies) || has(self.forProvider.name)";
    assert_string_equal(text_at(old, SCHEMA "spec x-kubernetes-validations 0 message"), "name is a required parameter");
    assert_string_equal(text_at(old, SCHEMA "spec x-kubernetes-validations 0 rule"),
                        arena_printf(a, "%s || has(self.initProvider.name)", policies).p);
    const struct json *without =
        write_crd(a, block, "provider: x\nold_envelope: true\ninit_provider: false\n", FLAVOUR_CLUSTER).crd;
    assert_string_equal(text_at(without, SCHEMA "spec x-kubernetes-validations 0 rule"), policies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_flavours),
        cmocka_unit_test(other_versions),
        cmocka_unit_test(older_names_of_fields),
        cmocka_unit_test(rules_that_cel_cannot_say),
        cmocka_unit_test(singular_of_a_plural),
        cmocka_unit_test(large_kinds_are_cut),
        cmocka_unit_test(texts_that_yaml_would_mistake),
        cmocka_unit_test(the_frame_of_2023),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
