/* Patterns, the order of rules, and every kind of mistake: each is an error with its line, and a suggestion where one is near. */
#include "crossplane/generate.h"
#include "crossplane/testing_crossplane.h"

static void type_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool matches;
    } cases[] = {
        {"aws_s3_bucket", "aws_s3_bucket", true},
        {"aws_s3_*", "aws_s3_bucket", true},
        {"aws_s3_*", "aws_sns_topic", false},
        {"*", "x", true},
        {"*_bucket", "aws_s3_bucket", true},
        {"aws_?3_*", "aws_s3_bucket", true},
        {"aws_{s3,sns}_*", "aws_sns_topic", true},
        {"aws_{s3,sns}_*", "aws_sqs_q", false},
        {"*a*b*", "xxaxxbxx", true},
        {"*a*b", "xxaxxbxx", false},
        {"", "", true},
        {"", "x", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (pattern_match(str_of(cases[i].pattern), str_of(cases[i].text)) != cases[i].matches)
            fail_msg("%s on %s", cases[i].pattern, cases[i].text);
}

static void path_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *path;
        bool matches;
    } cases[] = {
        {"a.b", "a.b", true}, {"a.b", "a", false},        {"a", "a.b", false},         {"*", "a.b", false},
        {"*.b", "a.b", true}, {"**.b", "b", true},        {"**.b", "a.x.b", true},     {"**.b", "a.x.bb", false},
        {"a.**", "a", true},  {"a.**", "a.b.c", true},    {"a.**.c", "a.c", true},     {"**.*_id", "a.b.vpc_id", true},
        {"**", "a.b", true},  {"**.a.**", "x.a.y", true}, {"**.a.**", "x.b.y", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (path_pattern_match(str_of(cases[i].pattern), str_of(cases[i].path)) != cases[i].matches)
            fail_msg("%s on %s", cases[i].pattern, cases[i].path);
}

static void later_rules_win(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct config *c =
        testing_config(a, "provider: x\nversion: v1beta1\nresources:\n"
                          "  \"*\": {group: all, kind: First, async: false, omit: [gone]}\n"
                          "  x_a: {kind: Second, fields: {gone: {omit: false, name: back}}, cluster: {version: v2}}\n");
    struct resource_config r;
    config_resolve(c, a, STR("x_a"), FLAVOUR_NAMESPACED, &r);
    assert_true(str_eqz(r.group, "all") && str_eqz(r.kind, "Second") && str_eqz(r.version, "v1beta1") && !r.async);
    struct field_settings settings;
    assert_true(config_field(&r, STR("gone"), &settings));
    assert_true(settings.omit == SAID_NO && str_eqz(settings.name, "back"));
    assert_false(config_field(&r, STR("other"), &settings));
    config_resolve(c, a, STR("x_a"), FLAVOUR_CLUSTER, &r);
    assert_true(str_eqz(r.version, "v2"));
    assert_true(config_flavours_differ(c, STR("x_a")));
    assert_false(config_flavours_differ(c, STR("x_b")));
}

static void which_types(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct config *c = testing_config(a, "provider: x\ninclude: [\"x_*\"]\nexclude: [x_b]\n");
    assert_true(config_includes(c, STR("x_a")));
    assert_false(config_includes(c, STR("x_b")));
    assert_false(config_includes(c, STR("y")));
    c = testing_config(a, "provider: x\nlisted_only: true\nresources:\n  x_a: {}\n  \"x_*\": {version: v2}\n");
    assert_true(config_includes(c, STR("x_a")));
    assert_false(config_includes(c, STR("x_b")));
}

static const struct {
    const char *yaml, *says[3];
} mistakes[] = {
    {"short_name: x\n", {"provider", "p.yaml:1:1"}},
    {"provider: x\nshort_nme: y\n", {"p.yaml:2:1", "\"short_nme\"", "did you mean \"short_name\""}},
    {"provider: x\nfrobnicate_everything: y\n", {"p.yaml:2:1", "is no key of file"}},
    {"provider: x\nembed_singletons: 7\n", {"p.yaml:2:19", "true or false", "a number"}},
    {"provider: x\nresources: []\n", {"p.yaml:2:", "a mapping", "a list"}},
    {"provider: x\nresources:\n  x_a:\n    refrences: {}\n", {"p.yaml:4:5", "did you mean \"references\""}},
    {"provider: x\nresources:\n  x_a: 7\n", {"p.yaml:3:", "a mapping"}},
    {"provider: x\nresources:\n  x_a:\n    omit: name\n", {"p.yaml:4:", "a list of texts"}},
    {"provider: x\nresources:\n  x_a:\n    omit: [name, 7]\n", {"p.yaml:4:18", "a list of texts"}},
    {"provider: x\nresources:\n  x_a:\n    omit: [a..b]\n", {"p.yaml:4:12", "is no path"}},
    {"provider: x\nresources:\n  x_a:\n    external_name: nme\n", {"p.yaml:4:", "one of provider name parameter"}},
    {"provider: x\nresources:\n  x_a:\n    external_name: {strategy: parameter}\n", {"p.yaml:4:", "needs \"field\""}},
    {"provider: x\nresources:\n  x_a:\n    external_name: {strategy: template}\n", {"p.yaml:4:", "needs \"template\""}},
    {"provider: x\nresources:\n  x_a:\n    external_name: {strategy: template, template: \"{{ x\"}\n",
     {"p.yaml:4", "well formed"}},
    {"provider: x\nresources:\n  x_a:\n    references: {vpc_id: {attribute: id}}\n", {"p.yaml:4:18", "needs \"to\""}},
    {"provider: x\nresources:\n  x_a:\n    fields: {f: {typ: string}}\n", {"p.yaml:4:18", "did you mean \"type\""}},
    {"provider: x\nresources:\n  x_a:\n    fields: {f: {type: text}}\n",
     {"p.yaml:4:", "string, number, integer, boolean or any"}},
    {"provider: x\nresources:\n  x_a:\n    fields: {f: {merge: {list_type: map}}}\n", {"p.yaml:4:", "needs \"keys\""}},
    {"provider: x\nresources:\n  x_a:\n    fields: {f: {merge: {list_type: bag}}}\n", {"p.yaml:4:", "atomic, set or map"}},
    {"provider: x\nresources:\n  x_a:\n    timeouts: {create: soon}\n", {"p.yaml:4:", "a duration"}},
    {"provider: x\nresources:\n  x_a:\n    add: {spec: {}}\n", {"p.yaml:4:", "forProvider, initProvider, atProvider"}},
    {"provider: x\nresources:\n  x_a:\n    cluster: {namespaced: {}}\n", {"p.yaml:4:", "cannot stand inside"}},
    {"provider: x\nacronyms: {ddos: DOS}\n", {"p.yaml:2:12", "in another casing"}},
    {"provider: x\nshape: round\n", {"p.yaml:2:", "upjet or terrane"}},
    {"provider: x\nprovider: y\n", {"p.yaml:2:"}},
    {"provider: [\n", {"p.yaml:"}},
};

static void each_mistake_has_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        if (config_read(a, str_of(mistakes[i].yaml), "p.yaml", &diags))
            fail_msg("accepted: %s", mistakes[i].yaml);
        for (size_t j = 0; j < 3 && mistakes[i].says[j]; j++)
            if (!testing_says(&diags, mistakes[i].says[j]))
                fail_msg("%s\ndoes not say %s:\n%s", mistakes[i].yaml, mistakes[i].says[j], testing_said(&diags));
    }
}

static void all_mistakes_at_once(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    assert_null(config_read(a, STR("provider: x\nfoo: 1\nversion: 2\nresources: {x_a: {bar: 1}}\n"), "p.yaml", &diags));
    assert_int_equal(diags.n_errors, 3);
}

/* Against a provider with x_thing_kind { name, rule { key } }. */
static const struct {
    const char *yaml, *says[3];
} unused[] = {
    {"provider: x\nresources:\n  x_thing_knd: {version: v2}\n",
     {"p.yaml:3", "matches no resource type", "did you mean \"x_thing_kind\""}},
    {"provider: x\nexclude: [\"y_*\"]\n", {"p.yaml:2", "\"y_*\" under \"exclude\""}},
    {"provider: x\nresources:\n  x_thing_kind:\n    omit: [nme]\n", {"p.yaml:4", "no field \"nme\"", "did you mean \"name\""}},
    {"provider: x\nresources:\n  x_thing_kind:\n    fields:\n      rule.kye: {sensitive: true}\n",
     {"p.yaml:5", "did you mean \"rule.key\""}},
    {"provider: x\nresources:\n  \"*\":\n    fields:\n      \"**.zone\": {sensitive: true}\n", {"p.yaml:5", "no field \"zone\""}},
    {"provider: x\nresources:\n  x_thing_kind:\n    references: {name: x_thing_kint}\n",
     {"p.yaml:4", "no resource type \"x_thing_kint\"", "x_thing_kind"}},
    {"provider: x\nresources:\n  x_thing_kind:\n    add: {forProvider: {nowhere.x: {type: string}}}\n",
     {"p.yaml:4", "nowhere.x"}},
    {"provider: x\nexclude: [\"x_*\"]\n", {"Nothing to generate"}},
};

static bool run_generate(struct arena *a, const char *yaml, struct diags *diags)
{
    struct output out;
    struct generated done;
    struct generate_options options = {
        .schema =
            testing_schema(a, "{\"attributes\":{\"name\":{\"type\":\"string\",\"optional\":true}},\"block_types\":{\"rule\":{"
                              "\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"key\":{\"type\":\"string\","
                              "\"optional\":true}}}}}}"),
        .config = testing_config(a, yaml),
        .flavours = FLAVOUR_BOTH,
    };
    output_init(&out, a, "/nonexistent");
    bool ok = generate(a, &options, &out, diags, &done);
    output_discard(&out);
    return ok;
}

static void unused_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof unused / sizeof unused[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        assert_false(run_generate(a, unused[i].yaml, &diags));
        for (size_t j = 0; j < 3 && unused[i].says[j]; j++)
            if (!testing_says(&diags, unused[i].says[j]))
                fail_msg("%s\ndoes not say %s:\n%s", unused[i].yaml, unused[i].says[j], testing_said(&diags));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_patterns),
        cmocka_unit_test(path_patterns),
        cmocka_unit_test(later_rules_win),
        cmocka_unit_test(which_types),
        cmocka_unit_test(each_mistake_has_its_line),
        cmocka_unit_test(all_mistakes_at_once),
        cmocka_unit_test(unused_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
