/* The order of rules, and every kind of mistake: each is an error with its line, and a suggestion if a name is similar. */
#include "crossplane/testing_crossplane.h"

#include <unistd.h>

static void later_rules_win(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_config *c =
        testing_config(a, "provider: x\nversion: v1beta1\nresources:\n"
                          "  \"*\": {group: all, kind: First, async: false, omit: [gone]}\n"
                          "  x_a: {kind: Second, fields: {gone: {omit: false, name: back}}, cluster: {version: v2}}\n");
    struct xp_resource_config r;
    xp_config_resolve(c, a, STR("x_a"), FLAVOUR_NAMESPACED, &r);
    assert_true(str_eqz(r.group, "all") && str_eqz(r.kind, "Second") && str_eqz(r.version, "v1beta1") && !r.async);
    struct xp_field_settings settings;
    assert_true(xp_config_field(&r, STR("gone"), &settings));
    assert_true(settings.omit == SAID_NO && str_eqz(settings.name, "back"));
    assert_false(xp_config_field(&r, STR("other"), &settings));
    xp_config_resolve(c, a, STR("x_a"), FLAVOUR_CLUSTER, &r);
    assert_true(str_eqz(r.version, "v2"));
    assert_true(xp_config_flavours_differ(c, STR("x_a")));
    assert_false(xp_config_flavours_differ(c, STR("x_b")));
}

static void which_types(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_config *c = testing_config(a, "provider: x\ninclude: [\"x_*\"]\nexclude: [x_b]\n");
    assert_true(xp_config_includes(c, STR("x_a")));
    assert_false(xp_config_includes(c, STR("x_b")));
    assert_false(xp_config_includes(c, STR("y")));
    c = testing_config(a, "provider: x\nlisted_only: true\nresources:\n  x_a: {}\n  \"x_*\": {version: v2}\n");
    assert_true(xp_config_includes(c, STR("x_a")));
    assert_false(xp_config_includes(c, STR("x_b")));
}

static void files_lie_over_one_another(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct xp_config *c = xp_config_default(a, STR("x"));
    assert_true(str_eqz(c->root_cluster, "x.terrane.dev") && str_eqz(c->root_namespaced, "x.m.terrane.dev"));
    assert_true(xp_config_read_over(c,
                                    STR("provider: x\nversion: v2\nshort_name: sh\nresources: {\"x_*\": {group: a, kind: A}}\n"),
                                    (struct xp_config_source){"shipped.yaml", true}, &diags));
    assert_true(xp_config_read_over(c, STR("provider: x\nversion: v3\nresources: {x_b: {kind: B}}\n"),
                                    (struct xp_config_source){"own.yaml", false}, &diags));
    testing_no_errors(&diags);
    struct xp_resource_config r;
    xp_config_resolve(c, a, STR("x_b"), FLAVOUR_CLUSTER, &r);
    assert_true(str_eqz(r.group, "a") && str_eqz(r.kind, "B") && str_eqz(r.version, "v3") && str_eqz(c->short_name, "sh"));
    assert_false(xp_config_read_over(c, STR("provider: z\n"), (struct xp_config_source){"z.yaml", false}, &diags));
    testing_says(&diags, "z.yaml is for provider \"z\"");
}

/* A shipped file is for several versions of the provider: a rule that matches nothing is not a mistake. */
static void shipped_rules_may_match_nothing(void **state)
{
    (void)state;
    for (int shipped = 0; shipped < 2; shipped++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        struct map types;
        diags_init(&diags, a);
        map_init(&types, a);
        struct xp_config *c = xp_config_default(a, STR("x"));
        assert_true(xp_config_read_over(c, STR("provider: x\nexclude: [\"y_*\"]\nresources: {x_gone: {omit: [name]}}\n"),
                                        (struct xp_config_source){"f.yaml", shipped}, &diags));
        assert_int_equal(xp_config_check_used(c, &types, &diags), shipped);
    }
}

static void which_provider_a_file_is_for(void **state)
{
    (void)state;
    static const struct {
        const char *text, *address;
        bool is_for;
    } cases[] = {
        {"provider: x\nsource: [us/x, others/x]\n", "registry.terraform.io/us/x", true},
        {"provider: x\nsource: [us/x, others/x]\n", "registry.opentofu.org/others/x", true},
        {"provider: x\nsource: [us/x, others/x]\n", "registry.terraform.io/them/x", false},
        {"provider: x\n", "registry.terraform.io/us/x", false},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    bool is_for;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_true(xp_config_is_for(str_of(cases[i].text), "f", str_of(cases[i].address), &diags, &is_for));
        assert_int_equal(is_for, cases[i].is_for);
    }
    assert_false(xp_config_is_for(STR("["), "f.yaml", STR("registry.terraform.io/us/x"), &diags, &is_for));
    testing_says(&diags, "f.yaml:");
}

static void later_rules_say_otherwise_of_arguments(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_config *c =
        testing_config(a, "provider: x\nresources:\n  \"*\": {provider_arguments: {region: required, zone: optional}}\n"
                          "  x_a: {provider_arguments: {region: none}}\n");
    struct xp_resource_config r;
    xp_config_resolve(c, a, STR("x_a"), FLAVOUR_CLUSTER, &r);
    assert_int_equal(r.n_provider_arguments, 2);
    assert_true(r.provider_arguments[0].said == SAID_NO && r.provider_arguments[1].said == SAID_YES);
    xp_config_resolve(c, a, STR("x_b"), FLAVOUR_CLUSTER, &r);
    assert_true(r.provider_arguments[0].said == SAID_YES && r.provider_arguments[0].required &&
                !r.provider_arguments[1].required);
}

static const struct {
    const char *yaml, *says[3];
} mistakes[] = {
    {"short_name: x\n", {"provider", "p.yaml:1:1"}},
    {"provider: x\nshort_nme: y\n", {"p.yaml:2:1", "\"short_nme\"", "did you mean \"short_name\""}},
    {"provider: x\nfrobnicate_everything: y\n", {"p.yaml:2:1", "is not a valid key of file"}},
    {"provider: x\nembed_singletons: 7\n", {"p.yaml:2:19", "true or false", "a number"}},
    {"provider: x\nresources: []\n", {"p.yaml:2:", "a mapping", "a list"}},
    {"provider: x\nresources:\n  x_a:\n    refrences: {}\n", {"p.yaml:4:5", "did you mean \"references\""}},
    {"provider: x\nresources:\n  x_a: 7\n", {"p.yaml:3:", "a mapping"}},
    {"provider: x\nresources:\n  x_a:\n    omit: name\n", {"p.yaml:4:", "a list of strings"}},
    {"provider: x\nresources:\n  x_a:\n    omit: [name, 7]\n", {"p.yaml:4:18", "a list of strings"}},
    {"provider: x\nresources:\n  x_a:\n    omit: [a..b]\n", {"p.yaml:4:12", "is not a valid path"}},
    {"provider: x\nresources:\n  x_a:\n    external_name: nme\n", {"p.yaml:4:", "one of provider name parameter"}},
    {"provider: x\nresources:\n  x_a:\n    external_name: {strategy: parameter}\n", {"p.yaml:4:", "needs \"field\""}},
    {"provider: x\nresources:\n  x_a:\n    external_name: {strategy: template}\n", {"p.yaml:4:", "needs \"template\""}},
    {"provider: x\nresources:\n  x_a:\n    provider_arguments: {region: maybe}\n",
     {"p.yaml:4:", "\"region\" must be required, optional or none"}},
    {"provider: x\nresources:\n  x_a:\n    generated_secrets: [password]\n", {"p.yaml:4:", "a mapping"}},
    {"provider: x\nresources:\n  x_a:\n    renamed: {a: b, c.d: 'rule[0].e'}\n", {"p.yaml:4:", "a path of fields"}},
    {"provider: x\nresources:\n  x_a:\n    renamed: {a.: b}\n", {"p.yaml:4:", "a path of fields"}},
    {"provider: x\nresources:\n  x_a:\n    connection_details: {attribute.endpoint: endpoint}\n",
     {"p.yaml:4:", "a key of a Secret"}},
    {"provider: x\nresources:\n  x_a:\n    connection_details: {the host: endpoint}\n", {"p.yaml:4:", "a key of a Secret"}},
    {"provider: x\nresources:\n  x_a:\n    connection_details: {host: 1}\n", {"p.yaml:4:", "the path of an attribute"}},
    {"provider: x\nprovider_config: {credentials: Secret}\n", {"p.yaml:2:", "\"credentials\" must be a mapping"}},
    {"provider: x\nbase: other\n", {"p.yaml:2:", "shipped or none"}},
    {"provider: x\nresources:\n  x_a:\n    references: {vpc_id: {attribute: id}}\n", {"p.yaml:4:18", "needs \"to\""}},
    {"provider: x\nresources:\n  x_a:\n    fields: {f: {typ: string}}\n", {"p.yaml:4:18", "did you mean \"type\""}},
    {"provider: x\nresources:\n  x_a:\n    fields: {f: {type: text}}\n",
     {"p.yaml:4:", "string, number, integer, boolean or any"}},
    {"provider: x\nresources:\n  x_a:\n    fields: {f: {merge: {list_type: map}}}\n", {"p.yaml:4:", "needs \"keys\""}},
    {"provider: x\nresources:\n  x_a:\n    fields: {f: {merge: {list_type: bag}}}\n", {"p.yaml:4:", "atomic, set or map"}},
    {"provider: x\nresources:\n  x_a:\n    timeouts: {create: soon}\n", {"p.yaml:4:", "a duration"}},
    {"provider: x\nresources:\n  x_a:\n    add: {spec: {}}\n", {"p.yaml:4:", "forProvider, initProvider or atProvider"}},
    {"provider: x\nresources:\n  x_a:\n    cluster: {namespaced: {}}\n", {"p.yaml:4:", "is not allowed inside"}},
    {"provider: x\nacronyms: {ddos: DOS}\n", {"p.yaml:2:12", "in another casing"}},
    {"provider: x\ncompat: round\n", {"p.yaml:2:", "own, upjet or upjet-exact"}},
    {"provider: x\nlinks: x.links\n", {"p.yaml:2:", "a list of strings"}},
    {"provider: x\nlinks: [\"\"]\n", {"p.yaml:2:", "list of file names"}},
    {"provider: x\nresources:\n  x_a: {group: ../../evil}\n", {"p.yaml:3:16", "\"group\" cannot be \"../../evil\""}},
    {"provider: x\nresources:\n  x_a: {kind: thing}\n", {"p.yaml:3:15", "a capital first"}},
    {"provider: x\nresources:\n  x_a: {plural: Things}\n", {"p.yaml:3:17", "lower case"}},
    {"provider: x\nresources:\n  x_a: {short_names: [ok, \"no way\"]}\n", {"p.yaml:3:28", "\"no way\""}},
    {"provider: x\nversion: 1\n", {"p.yaml:2:", "a string"}},
    {"provider: x\nversion: \"1beta\"\n", {"p.yaml:2:", "a letter first"}},
    {"provider: x\nroot_group: {cluster: x..y}\n", {"p.yaml:2:", "joined with dots"}},
    {"provider: x\nshort_name: a/b\n", {"p.yaml:2:", "\"a/b\""}},
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
        if (xp_config_read(a, str_of(mistakes[i].yaml), "p.yaml", &diags))
            fail_msg("accepted: %s", mistakes[i].yaml);
        for (size_t j = 0; j < 3 && mistakes[i].says[j]; j++)
            testing_says(&diags, mistakes[i].says[j]);
    }
}

static void all_mistakes_at_once(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    assert_null(xp_config_read(a, STR("provider: x\nfoo: 1\nversion: 2\nresources: {x_a: {bar: 1}}\n"), "p.yaml", &diags));
    assert_int_equal(diags.n_errors, 3);
}

/* --- link tables --- */

static const char linked_types[] =
    "{\"format_version\":\"1.0\",\"provider_schemas\":{\"r/t/x\":{\"resource_schemas\":{\"x_vpc\":{\"version\":0,\"block\":{"
    "\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"arn\":{\"type\":\"string\",\"computed\":true},\"name\":{"
    "\"type\":\"string\",\"optional\":true},\"key\":{\"type\":\"string\",\"computed\":true,\"sensitive\":true},\"groups\":{"
    "\"type\":[\"list\",\"string\"],\"computed\":true}}}},\"x_app\":{\"version\":0,\"block\":{\"attributes\":{\"id\":{\"type\":"
    "\"string\",\"optional\":true,\"computed\":true},\"vpc\":{\"type\":\"string\",\"required\":true},\"out\":{\"type\":"
    "\"string\","
    "\"computed\":true},\"token\":{\"type\":\"string\",\"optional\":true,\"sensitive\":true},\"vpcs\":{\"type\":[\"set\","
    "\"string\"],\"optional\":true},\"size\":{\"type\":\"number\",\"optional\":true},\"tags\":{\"type\":[\"map\",\"string\"],"
    "\"optional\":true},\"net\":{\"type\":\"string\",\"optional\":true},\"net_ref\":{\"type\":\"string\",\"optional\":true}},"
    "\"block_types\":{\"rule\":{\"nesting_mode\":\"list\",\"block\":{\"attributes\":{\"vpc\":{\"type\":\"string\",\"optional\":"
    "true}}}},\"timeouts\":{\"nesting_mode\":\"single\",\"block\":{\"attributes\":{\"create\":{\"type\":\"string\",\"optional\":"
    "true}}}}}}}}}}}";

/* The table, what the file says besides, and the references of x_app: PATH>TYPE.ATTRIBUTE, without attribute the external name.
 */
static const struct {
    const char *table, *yaml, *references;
} linked[] = {
    {"x_app vpc -> x_vpc.id", "", "vpc>x_vpc"},
    {"x_app vpc -> x_vpc.arn", "", "vpc>x_vpc.arn"},
    {"x_app vpc -> x_vpc.name", "", "vpc>x_vpc.name"},
    {"x_app vpc -> x_vpc.name", "resources: {x_vpc: {external_name: name}}", "vpc>x_vpc"},
    {"x_app vpc -> x_vpc.id", "resources: {x_vpc: {external_name: name}}", "vpc>x_vpc"},
    {"x_app vpc -> x_vpc.id", "resources: {x_vpc: {external_name: {strategy: computed, field: arn}}}", "vpc>x_vpc.id"},
    {"x_app vpc -> x_vpc.arn", "resources: {x_vpc: {external_name: {strategy: computed, field: arn}}}", "vpc>x_vpc"},
    {"x_app vpc -> x_vpc.id",
     "resources: {x_vpc: {external_name: {strategy: template, field: name, template: \"a/{{ .external_name }}\"}}}",
     "vpc>x_vpc.id"},
    {"x_app vpc -> x_vpc.id part", "", ""},
    {"x_app vpc -> x_vpc.id part\nx_app vpc -> x_vpc.arn", "", "vpc>x_vpc.arn"},
    {"x_app vpc -> none\nx_app vpc -> x_vpc.arn", "", ""},
    {"x_app vpc -> y_vpc.id\nx_app vpc -> x_vpc.arn", "", "vpc>x_vpc.arn"},
    {"x_app vpc -> x_vpc.groups", "", ""},
    {"x_app vpc -> x_vpc.key", "", ""},
    {"x_app vpc -> x_vpc.gone", "", ""},
    {"x_app vpc -> x_app.vpc", "", ""},
    {"x_app vpcs[] -> x_vpc.id", "", "vpcs>x_vpc"},
    {"x_* **.vpc -> x_vpc.id", "", "vpc>x_vpc rule.vpc>x_vpc"},
    {"x_app ** -> x_vpc.id", "", "net_ref>x_vpc vpc>x_vpc vpcs>x_vpc rule.vpc>x_vpc"},
    {"x_app vpc -> x_vpc.id", "exclude: [x_vpc]", ""},
    {"x_app vpc -> x_vpc.id", "resources: {x_app: {omit: [vpc]}}", ""},
    {"x_app vpc -> x_vpc.id", "resources: {x_app: {sensitive: [vpc]}}", ""},
    {"x_app vpc -> x_vpc.id", "resources: {x_app: {fields: {vpc: {type: integer}}}}", ""},
    {"x_app vpc -> x_vpc.name", "resources: {x_vpc: {omit: [name]}}", ""},
    {"x_app vpc -> x_vpc.id", "resources: {x_app: {references: {vpc: {to: x_vpc, attribute: arn}}}}", "vpc>x_vpc.arn"},
    {"x_app vpc -> x_vpc.id", "resources: {\"*\": {references: {\"**.vpc\": x_app}}}", "**.vpc>x_app"},
};

struct link_files {
    char folder[64];
    const char *config, *table;
};

static struct link_files make_link_files(struct arena *a, const char *table)
{
    struct link_files f = {"/tmp/terrane_config_XXXXXX", NULL, NULL};
    struct diags diags;
    diags_init(&diags, a);
    assert_non_null(mkdtemp(f.folder));
    f.config = arena_printf(a, "%s/p.yaml", f.folder).p;
    f.table = arena_printf(a, "%s/x.links", f.folder).p;
    assert_true(file_write(f.table, str_of(table), 0600, &diags));
    return f;
}

static void drop_link_files(const struct link_files *f)
{
    assert_int_equal(unlink(f->table), 0);
    assert_int_equal(rmdir(f->folder), 0);
}

static struct xp_config *read_linked(struct arena *a, const struct link_files *f, const char *yaml, struct diags *diags)
{
    const struct provider_schema *s =
        schema_read_document(a, json_parse(a, STR(linked_types), "schema", diags), STR_EMPTY, NULL, diags);
    struct str text = arena_printf(a, "provider: x\n%s\n", yaml);
    struct xp_config *c = xp_config_read(a, text, f->config, diags);
    testing_no_errors(diags);
    return xp_config_link(c, s, diags) ? c : NULL;
}

static const char *references_of(struct arena *a, const struct xp_config *c, const char *type)
{
    struct xp_resource_config r;
    struct buf out BUF_AUTO = BUF_INIT(TESTING_MAX);
    xp_config_resolve(c, a, str_of(type), FLAVOUR_CLUSTER, &r);
    for (size_t i = 0; i < r.n_fields; i++) {
        const struct xp_reference_rule *ref = r.fields[i]->set.reference;
        if (ref)
            buf_printf(&out, "%s" STR_FMT ">" STR_FMT "%s" STR_FMT, out.n > 0 ? " " : "", STR_ARG(r.fields[i]->pattern),
                       STR_ARG(ref->to), ref->attribute.n > 0 ? "." : "", STR_ARG(ref->attribute));
    }
    return buf_copy(&out, a).p;
}

static void references_of_link_tables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof linked / sizeof linked[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        struct link_files f = make_link_files(a, linked[i].table);
        struct xp_config *c = read_linked(a, &f, arena_printf(a, "links: [x.links]\n%s", linked[i].yaml).p, &diags);
        drop_link_files(&f);
        testing_no_errors(&diags);
        const char *got = references_of(a, c, "x_app");
        if (strcmp(got, linked[i].references) != 0)
            fail_msg("%s\n%s\n%s", linked[i].table, linked[i].yaml, got);
        assert_false(c->rules.n > 0 && c->rules.v[0].fields.n > 0 && c->rules.v[0].fields.v[0].used);
    }
}

static void files_win_in_order(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct link_files f = make_link_files(a, "x_app vpc -> x_vpc.id\nx_app net_ref -> x_vpc.id\n");
    const char *first = arena_printf(a, "%s/first.links", f.folder).p;
    assert_true(file_write(first, STR("x_app vpc -> none\n"), 0600, &diags));
    struct xp_config *c = read_linked(a, &f, arena_printf(a, "links: [%s, x.links]", first).p, &diags);
    (void)unlink(first);
    drop_link_files(&f);
    testing_no_errors(&diags);
    assert_string_equal(references_of(a, c, "x_app"), "net_ref>x_vpc");
    assert_string_equal(references_of(a, c, "x_vpc"), "");
}

static void wrong_link_tables(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct link_files f = make_link_files(a, "x_app vpc -> x_vpc\n");
    assert_null(read_linked(a, &f, "links: [x.links, gone.links]", &diags));
    drop_link_files(&f);
    assert_int_equal(diags.n, 2);
    testing_says(&diags, "x.links:1: ");
    testing_says(&diags, "p.yaml:2:18: ");
    testing_says(&diags, "gone.links");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_rules_win),
        cmocka_unit_test(which_types),
        cmocka_unit_test(files_lie_over_one_another),
        cmocka_unit_test(shipped_rules_may_match_nothing),
        cmocka_unit_test(which_provider_a_file_is_for),
        cmocka_unit_test(later_rules_say_otherwise_of_arguments),
        cmocka_unit_test(each_mistake_has_its_line),
        cmocka_unit_test(all_mistakes_at_once),
        cmocka_unit_test(references_of_link_tables),
        cmocka_unit_test(files_win_in_order),
        cmocka_unit_test(wrong_link_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
