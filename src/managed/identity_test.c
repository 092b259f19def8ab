#include "managed/identity.h"

#include "managed/object.h"
#include "managed/testing_managed.h"

static const char block[] = "{\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},"
                            "\"arn\":{\"type\":\"string\",\"computed\":true},\"name\":{\"type\":\"string\",\"optional\":true},"
                            "\"group\":{\"type\":\"string\",\"optional\":true},"
                            "\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true}}}";

static struct xp_kind *kind_with(struct arena *a, const char *external_name)
{
    struct str yaml = arena_printf(a,
                                   "provider: x\nresources:\n  x_thing_kind:\n    tags: tags\n    provider_arguments: {region: "
                                   "required}\n    external_name: %s\n",
                                   external_name);
    return testing_kind_of(a, block, yaml.p);
}

static const struct json *object_with(struct arena *a, const char *external_name)
{
    const struct json *o = testing_jsonz(
        a,
        "{\"apiVersion\":\"s3.aws.m.upbound.io/v1\",\"kind\":\"Bucket\",\"metadata\":{\"name\":\"web\",\"namespace\":\"shop\"},"
        "\"spec\":{\"forProvider\":{\"group\":\"g\",\"region\":\"r\"},\"providerConfigRef\":{\"name\":\"default\"}}}");
    return *external_name ? managed_annotate(a, o, MANAGED_EXTERNAL_NAME, str_of(external_name)) : o;
}

/* From a new object to its id, its argument, and the name that its state gives it. */
static const struct {
    const char *strategy, *name; /* annotation before */
    const char *started;         /* after managed_init_external_name() */
    const char *id, *argument;
    const char *state, *taken; /* the name of this state */
    bool deterministic;
} rows[] = {
    {"name", "", "web", "web", "{\"name\":\"web\"}", "{\"id\":\"web-1\"}", "web-1", true},
    {"name", "mine", "mine", "mine", "{\"name\":\"mine\"}", "{\"id\":\"mine\"}", "mine", true},
    {"{strategy: parameter, field: group}", "", "web", "web", "{\"group\":\"web\"}", "{\"id\":\"web\"}", "web", true},
    {"provider", "", "", "", "{}", "{\"id\":\"i-1\"}", "i-1", false},
    {"provider", "i-1", "i-1", "i-1", "{}", "{\"id\":\"i-1\"}", "i-1", false},
    {"{strategy: computed, field: arn, placeholder: none-yet}", "", "", "none-yet", "{}", "{\"arn\":\"a:1\"}", "a:1", false},
    {"{strategy: template, field: name, template: \"/{{ .parameters.group }}/{{ .external_name }}\"}", "", "web", "/g/web",
     "{\"name\":\"web\"}", "{\"id\":\"/g/web\"}", "web", true},
    {"{strategy: template, name_from_provider: true, template: \"{{ .parameters.region }}/{{ .external_name }}\"}", "", "", "",
     "{}", "{\"id\":\"r/new\"}", "new", false},
    {"{strategy: template, name_from_provider: true, template: \"{{ .parameters.region }}/{{ .external_name }}\"}", "old", "old",
     "r/old", "{}", "{\"id\":\"r/old\"}", "old", false},
};

static void names(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct xp_kind *k = kind_with(a, rows[i].strategy);
        struct diags diags;
        struct str id;
        const struct json *o = managed_init_external_name(a, k, object_with(a, rows[i].name)), *taken = NULL;
        diags_init(&diags, a);
        testing_text(managed_external_name(o), rows[i].started);
        assert_true(managed_id(a, k, o, testing_jsonz(a, "{\"group\":\"g\"}"), NULL, &diags, &id));
        testing_text(id, rows[i].id);
        testing_same(a, managed_add_name(a, k, o, testing_jsonz(a, "{}")), rows[i].argument);
        assert_true(managed_take_name(a, k, o, testing_jsonz(a, rows[i].state), &diags, &taken));
        testing_text(managed_external_name(taken), rows[i].taken);
        assert_int_equal(taken == o, strcmp(rows[i].started, rows[i].taken) == 0);
        assert_int_equal(managed_name_is_deterministic(k), rows[i].deterministic);
        assert_false(managed_take_name(a, k, o, testing_jsonz(a, "{}"), &diags, &taken));
    }
}

/* Types of newer providers may have no id: then an attribute that tells objects apart is the name, or the object's own name is.
 */
static void no_id(void **state)
{
    (void)state;
#define TWO_NAMES "\"name\":{\"type\":\"string\",\"required\":true},\"domain\":{\"type\":\"string\",\"required\":true}"
#define LONG "{'Statement': [{'Effect': 'Allow', 'Action': '*'}]}, and so on"
    static const struct {
        const char *attrs, *external_name, *before, *state, *taken; /* taken NULL: an error */
    } cases[] = {
        {"\"kind_id\":{\"type\":\"string\",\"computed\":true}", "provider", "", "{\"kind_id\":\"k-1\"}", "k-1"},
        {"\"kind_id\":{\"type\":\"string\",\"computed\":true}", "provider", "web", "{\"kind_id\":\"k-1\"}", "k-1"},
        {"\"kind_id\":{\"type\":\"number\",\"computed\":true}", "provider", "", "{\"kind_id\":17}", "17"},
        {"\"kind_id\":{\"type\":\"string\",\"computed\":true}", "provider", "", "{\"kind_id\":null}", "web"},
        {"\"hex\":{\"type\":\"string\",\"computed\":true,\"sensitive\":true}", "provider", "", "{\"hex\":\"a0\"}", "web"},
        {"\"hex\":{\"type\":\"string\",\"computed\":true,\"sensitive\":true}", "provider", "oA==", "{\"hex\":\"a0\"}", "oA=="},
        {"\"name\":{\"type\":\"string\",\"required\":true}", "name", "", "{\"name\":\"mine\"}", "mine"},
        {TWO_NAMES, "provider", "", "{\"name\":\"www\"}", "www"},
        {TWO_NAMES, "provider", "a.com/www", "{\"name\":\"www\"}", "a.com/www"}, /* of b.com is a different one */
        {TWO_NAMES, "provider", "", "{\"name\":\"two\\nlines\"}", "web"},
        {TWO_NAMES, "provider", "", "{\"name\":\"" LONG LONG LONG LONG LONG "\"}", "web"},
        {"\"label\":{\"type\":\"string\",\"optional\":true}", "{strategy: provider, name_field: label}", "", "{\"label\":null}",
         NULL},
        {"\"id\":{\"type\":\"string\",\"computed\":true}", "provider", "", "{\"id\":null}", NULL},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str attrs = arena_printf(a, "{\"attributes\":{%s}}", cases[i].attrs);
        struct str yaml =
            arena_printf(a, "provider: x\nresources:\n  x_thing_kind: {external_name: %s}\n", cases[i].external_name);
        struct xp_kind *k = testing_kind_of(a, attrs.p, yaml.p);
        const struct json *taken = NULL;
        struct diags diags;
        diags_init(&diags, a);
        bool ok = managed_take_name(a, k, object_with(a, cases[i].before), testing_jsonz(a, cases[i].state), &diags, &taken);
        assert_int_equal(ok, cases[i].taken != NULL);
        if (ok)
            testing_text(managed_external_name(taken), cases[i].taken);
        else
            testing_says(&diags, "in tfstate");
    }
}

static const struct json *tags_of(const struct json *o)
{
    return managed_at(o, "spec", "forProvider", "tags", NULL);
}

static void tags(void **state)
{
    (void)state;
    static const char three[] = "{\"crossplane-kind\":\"bucket.s3.aws.m.upbound.io\",\"crossplane-name\":\"web\","
                                "\"crossplane-providerconfig\":\"default\"}";
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_kind *k = kind_with(a, "name");
    const struct json *o = managed_add_tags(a, k, object_with(a, ""));
    testing_same(a, tags_of(o), three);
    testing_text(managed_text(managed_at(o, "spec", "forProvider", "group", NULL)), "g");
    assert_ptr_equal(managed_add_tags(a, k, o), o);
    const struct json *mine = testing_jsonz(a, "{\"mine\":\"1\",\"crossplane-name\":\"old\"}");
    o = managed_add_tags(a, k, managed_put(a, o, mine, "spec", "forProvider", "tags", NULL));
    testing_text(managed_text(json_get(tags_of(o), "mine")), "1");
    testing_text(managed_text(json_get(tags_of(o), "crossplane-name")), "web");
    struct xp_kind *without = testing_kind_of(a, block, NULL);
    o = object_with(a, "");
    assert_ptr_equal(managed_add_tags(a, without, o), o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(no_id), cmocka_unit_test(tags)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
