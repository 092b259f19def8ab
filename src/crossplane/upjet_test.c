#include "crossplane/upjet.h"

#include "crossplane/testing_crossplane.h"
#include "yaml/yaml.h"

static const char side[] =
    "{\"settings\":{\"provider\":\"x\",\"short_name\":\"ex\",\"root_group\":{\"cluster\":\"x.org\",\"namespaced\":\"x.m.org\"},"
    "\"version\":\"v1beta1\",\"embed_singletons\":true,\"secret_refs_in_init\":false,\"acronyms\":{\"sas\":\"SAS\"}},"
    "\"resources\":{"
    "\"x_plain\":{\"external_name\":{\"strategy\":\"IdentifierFromProvider\"},\"use_async\":false},"
    "\"x_named\":{\"external_name\":{\"strategy\":\"NameAsIdentifier\"},\"omit\":[\"name\",\"more\"]},"
    "\"x_templated\":{\"external_name\":{\"strategy\":\"TemplatedStringAsIdentifier\",\"field\":\"name\",\"template\":"
    "\"{{ .parameters.group }}/{{ .external_name "
    "}}\"},\"omit\":[\"name\"],\"identifiers\":[],\"references\":{\"a.b\":{\"type\":\"x_plain\","
    "\"extractor\":\"ExtractParamPath(\\\"arn\\\",true)\"},\"c\":{\"type\":\"x_named\"},\"d\":{\"type\":\"x_named\","
    "\"extractor\":"
    "\"ExtractResourceID()\"},\"e\":{\"type\":\"x_named\",\"extractor\":\"Own()\"}},\"lateinit_ignored\":[\"FooBarID\"],"
    "\"schema\":{\"k\":{\"sensitive\":true}},\"rename\":{\"k\":\"kay\"},\"moved_to_status\":[\"s\"]},"
    "\"x_split\":{\"external_name\":{\"strategy\":\"ParameterAsIdentifier\",\"field\":\"key\"},\"omit\":[\"key\"],"
    "\"identifiers\":"
    "[\"key\"],\"group\":\"\",\"cluster\":{\"omit\":[],\"version\":\"v2\"}}}}";

static struct xp_config *convert(struct arena *a)
{
    struct diags diags;
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    diags_init(&diags, a);
    const struct json *json = json_parse(a, STR(side), "side", &diags);
    assert_true(xp_config_from_upjet(a, json, &out, &diags));
    testing_no_errors(&diags);
    return testing_config(a, buf_copy(&out, a).p);
}

static struct xp_resource_config resolve(struct arena *a, const struct xp_config *c, const char *type, enum xp_flavour flavour)
{
    struct xp_resource_config r;
    xp_config_resolve(c, a, str_of(type), flavour, &r);
    return r;
}

static struct xp_field_settings field(const struct xp_resource_config *r, const char *path)
{
    struct xp_field_settings s = {0};
    (void)xp_config_field(r, str_of(path), &s);
    return s;
}

static void a_side_file_becomes_our_file(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_config *c = convert(a);
    assert_true(c->embed_singletons && c->listed_only && !c->secrets_in_init && c->references_in_init);
    assert_int_equal(c->compat, COMPAT_UPJET);
    assert_true(str_eqz(c->version, "v1beta1") && str_eqz(c->root_namespaced, "x.m.org"));
    assert_true(str_eqz(xp_name_camel(&c->names, a, STR("sas_x")), "SASX"));
    assert_false(resolve(a, c, "x_plain", FLAVOUR_CLUSTER).async);

    struct xp_resource_config named = resolve(a, c, "x_named", FLAVOUR_CLUSTER);
    assert_int_equal(named.external_name.strategy, EXTERNAL_NAME_NAME);
    assert_int_equal(field(&named, "name").omit, SAID_YES);
    assert_int_equal(field(&named, "more").omit, SAID_YES);

    struct xp_resource_config r = resolve(a, c, "x_templated", FLAVOUR_CLUSTER);
    assert_int_equal(field(&r, "name").omit, SAID_YES);
    assert_int_equal(field(&r, "group").identifier, SAID_NOTHING); /* the template implies it, the list denies it */
    assert_true(str_eqz(field(&r, "a.b").reference->attribute, "arn"));
    assert_true(field(&r, "c").reference->attribute.n == 0);
    assert_true(str_eqz(field(&r, "d").reference->attribute, "id"));
    assert_true(str_eqz(field(&r, "e").reference->function, "Own()"));
    assert_int_equal(field(&r, "foo_bar_id").late_init, SAID_NO);
    assert_true(field(&r, "k").sensitive == SAID_YES && str_eqz(field(&r, "k").name, "kay"));
    assert_int_equal(field(&r, "s").status_only, SAID_YES);
}

static void a_flavour_replaces_whole_keys(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_config *c = convert(a);
    struct xp_resource_config cluster = resolve(a, c, "x_split", FLAVOUR_CLUSTER);
    struct xp_resource_config namespaced = resolve(a, c, "x_split", FLAVOUR_NAMESPACED);
    assert_true(cluster.has_group && cluster.group.n == 0);
    assert_true(str_eqz(cluster.version, "v2") && str_eqz(namespaced.version, "v1beta1"));
    assert_int_equal(cluster.external_name.strategy, EXTERNAL_NAME_PARAMETER);
    assert_int_equal(namespaced.external_name.strategy, EXTERNAL_NAME_PARAMETER);
    assert_int_equal(field(&cluster, "key").omit, SAID_NOTHING);
    assert_int_equal(field(&namespaced, "key").omit, SAID_YES);
    assert_int_equal(field(&cluster, "key").identifier, SAID_YES);
}

static void what_is_unknown_is_a_warning(void **state)
{
    (void)state;
    static const char *const wrong[] = {"{}", "[]", "{\"settings\":{},\"resources\":{}}", "{\"settings\":7,\"resources\":7}"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct diags diags;
    diags_init(&diags, a);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(xp_config_from_upjet(a, json_parse(a, str_of(wrong[i]), "side", &diags), &out, &diags));
    diags_init(&diags, a);
    const struct json *strange = json_parse(
        a,
        STR("{\"settings\":{\"provider\":\"x\"},\"resources\":{\"x_a\":{\"strange\":1,\"external_name\":{\"strategy\":\"Odd\","
            "\"function\":\"f\",\"odd\":1}}}}"),
        "side", &diags);
    assert_true(xp_config_from_upjet(a, strange, &out, &diags));
    assert_false(diags_has_errors(&diags));
    testing_says(&diags, "x_a");
    testing_says(&diags, "\"strange\"");
    testing_says(&diags, "\"external_name.odd\"");
    assert_int_equal(diags.n, 2);
    assert_null(strstr(buf_copy(&out, a).p, "Odd")); /* the function is what counts, and is there once */
}

static bool convert_settings(struct arena *a, const char *settings, struct buf *out, struct diags *diags)
{
    diags_init(diags, a);
    struct str text = arena_printf(a, "{\"settings\":{\"provider\":\"x\",%s},\"resources\":{}}", settings);
    return xp_config_from_upjet(a, json_parse(a, text, "side", diags), out, diags);
}

/* Each setting affects all kinds of a provider, so an unknown one is an error. */
static void settings_of_releases(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    struct diags diags;
    assert_true(convert_settings(a, "\"ssa_markers\":false,\"single_block_computed\":false,\"old_envelope\":true", &out, &diags));
    struct xp_config *c = testing_config(a, buf_copy(&out, a).p);
    assert_true(!c->ssa_markers && !c->single_block_computed && c->old_envelope && c->init_provider);
    buf_clear(&out);
    assert_true(convert_settings(a, "\"ssa_markers\":true,\"terraform_version\":\"1\",\"raw_secret_collections_in_init\":true",
                                 &out, &diags));
    assert_int_equal(diags.n, 0);
    c = testing_config(a, buf_copy(&out, a).p);
    assert_true(c->ssa_markers && c->single_block_computed && !c->old_envelope);
    buf_clear(&out);

    assert_false(convert_settings(a, "\"new_fashion\":true", &out, &diags));
    testing_says(&diags, "\"new_fashion\" is not a known setting");
    assert_false(convert_settings(a, "\"old_envelope\":\"yes\"", &out, &diags));
    testing_says(&diags, "settings.old_envelope must be true or false");
    assert_int_equal(out.n, 0);
    assert_true(convert_settings(a, "\"integers\":true", &out, &diags));
    testing_says(&diags, "settings.integers: true");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_side_file_becomes_our_file),
        cmocka_unit_test(a_flavour_replaces_whole_keys),
        cmocka_unit_test(what_is_unknown_is_a_warning),
        cmocka_unit_test(settings_of_releases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
