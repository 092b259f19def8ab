#include "base/file.h"
#include "crossplane/testing_crossplane.h"

/* STR() for initialisers of static data. */
#define STR_INIT(literal) {(literal), sizeof(literal) - 1}

static struct str text_of(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

/* Runs the operation; the result is compared with the member of `expect` that *ret_key names. */
static bool run_case(struct arena *a, const struct json *c, struct diags *diags, const char **ret_key, struct str *ret)
{
    struct str operation = text_of(c, "operation"), template = text_of(c, "template");
    *ret_key = "name";
    if (str_eqz(operation, "name_from_id"))
        return xp_template_name(a, template, text_of(c, "id"), diags, ret);
    if (str_eqz(operation, "name_from_state")) {
        struct xp_external_name e = {.strategy = template.n > 0 ? EXTERNAL_NAME_TEMPLATE : EXTERNAL_NAME_PROVIDER,
                                     .template = template};
        return xp_external_name_of_state(a, &e, json_get(c, "state"), diags, ret);
    }
    if (str_eqz(operation, "name_from_computed_identifier")) {
        struct xp_external_name e = {
            .strategy = EXTERNAL_NAME_COMPUTED, .field = text_of(c, "attribute"), .placeholder = text_of(c, "placeholder")};
        return xp_external_name_of_state(a, &e, json_get(c, "state"), diags, ret);
    }
    *ret_key = "id";
    if (!str_eqz(operation, "id_from_template"))
        fail_msg("unknown operation " STR_FMT, STR_ARG(operation));
    return xp_template_id(a, template, text_of(c, "name"), json_get(c, "parameters"), json_get(c, "setup"), diags, ret);
}

static void check_fact(struct arena *a, const struct json *c)
{
    const struct json *expect = json_get(c, "expect");
    if (str_eqz(text_of(c, "operation"), "set_identifier_argument")) {
        assert_true(json_eq(xp_external_name_set(a, json_get(c, "arguments"), text_of(c, "field"), text_of(c, "name")),
                            json_get(expect, "arguments")));
        return;
    }
    struct diags diags;
    diags_init(&diags, a);
    struct str got = STR_EMPTY;
    const char *key;
    bool ok = run_case(a, c, &diags, &key, &got);
    const struct json *error = json_get(expect, "error");
    if (error) {
        assert_false(ok);
        testing_says(&diags, error->text.p);
        return;
    }
    testing_no_errors(&diags);
    if (!str_eq(got, text_of(expect, key)))
        fail_msg(STR_FMT ": got " STR_FMT, STR_ARG(text_of(c, "id")), STR_ARG(got));
}

static void facts_hold(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "crossplane", "external_name.json");
    for (size_t i = 0; i < cases->array.n; i++)
        check_fact(a, cases->array.items[i]);
}

static void bad_templates(void **state)
{
    (void)state;
    static const char *const templates[] = {
        "{{", "{{ .external_name", "{{ external_name }}", "{{ .external_name | Title }}", "{{ if .external_name }}x", "{{}}"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof templates / sizeof templates[0]; i++) {
        struct diags diags;
        diags_init(&diags, a);
        struct str got;
        assert_false(xp_template_check(str_of(templates[i]), "p.yaml:3", &diags));
        testing_says(&diags, "p.yaml:3");
        assert_false(xp_template_id(a, str_of(templates[i]), STR("n"), NULL, NULL, &diags, &got));
        assert_false(xp_template_name(a, str_of(templates[i]), STR("n"), &diags, &got));
    }
}

static void what_a_strategy_implies(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct xp_external_name e = {.strategy = EXTERNAL_NAME_TEMPLATE,
                                 .field = STR("name"),
                                 .template = STR("/{{ .parameters.group }}/{{ .external_name }}/{{ .setup.configuration.x }}")};
    xp_external_name_imply(a, &e);
    assert_int_equal(e.omit.n, 1);
    assert_true(str_eqz(e.omit.v[0], "name"));
    assert_int_equal(e.identifiers.n, 1);
    assert_true(str_eqz(e.identifiers.v[0], "group"));
    struct xp_external_name said = {.strategy = EXTERNAL_NAME_NAME, .has_omit = true};
    xp_external_name_imply(a, &said);
    assert_int_equal(said.omit.n, 0);
}

static const struct {
    struct xp_external_name e;
    const char *name, *parameters, *id;
} ids[] = {
    {{.strategy = EXTERNAL_NAME_PROVIDER}, "", "{}", ""},
    {{.strategy = EXTERNAL_NAME_PROVIDER}, "i-1", "{}", "i-1"},
    {{.strategy = EXTERNAL_NAME_PROVIDER, .placeholder = STR_INIT("sgr-stub")}, "", "{}", "sgr-stub"},
    {{.strategy = EXTERNAL_NAME_PROVIDER, .placeholder = STR_INIT("sgr-stub")}, "sgr-1", "{}", "sgr-1"},
    {{.strategy = EXTERNAL_NAME_NAME}, "n", "{}", "n"},
    {{.strategy = EXTERNAL_NAME_TEMPLATE, .template = STR_INIT("{{ .parameters.a }}/{{ .external_name }}")},
     "n",
     "{\"a\":\"x\"}",
     "x/n"},
    {{.strategy = EXTERNAL_NAME_TEMPLATE,
      .name_from_provider = true,
      .template = STR_INIT("{{ .parameters.a }}/{{ .external_name }}")},
     "",
     "{\"a\":\"x\"}",
     ""},
    {{.strategy = EXTERNAL_NAME_TEMPLATE, .name_from_provider = true, .template = STR_INIT("{{ .parameters.a }}/b")},
     "",
     "{\"a\":\"x\"}",
     "x/b"},
};

static void ids_to_ask_for(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        struct str got;
        diags_init(&diags, a);
        const struct json *parameters = json_parse(a, str_of(ids[i].parameters), "parameters", &diags);
        assert_true(xp_external_name_id(a, &ids[i].e, str_of(ids[i].name), parameters, NULL, &diags, &got));
        if (!str_eqz(got, ids[i].id))
            fail_msg("%zu: " STR_FMT, i, STR_ARG(got));
    }
}

/* Where the name comes from if it is not the id. */
static const struct {
    struct xp_external_name e;
    const char *state, *name; /* NULL: there is none */
} names[] = {
    {{.strategy = EXTERNAL_NAME_PROVIDER, .placeholder = STR_INIT("stub")}, "{\"id\":\"stub\"}", NULL},
    {{.strategy = EXTERNAL_NAME_PROVIDER, .name_field = STR_INIT("bucket")}, "{\"id\":\"b,1\",\"bucket\":\"b\"}", "b"},
    {{.strategy = EXTERNAL_NAME_PROVIDER, .name_field = STR_INIT("bucket")}, "{\"id\":\"b,1\"}", NULL},
    {{.strategy = EXTERNAL_NAME_TEMPLATE,
      .template = STR_INIT("agm-{{ .parameters.api }}-{{ .parameters.method }}"),
      .name_template = STR_INIT("{{ .parameters.api }}/{{ .parameters.method }}")},
     "{\"id\":\"agm-x-GET\",\"api\":\"x\",\"method\":\"GET\"}",
     "x/GET"},
    {{.strategy = EXTERNAL_NAME_TEMPLATE,
      .template = STR_INIT("arn:policy{{ if .parameters.path }}{{ .parameters.path }}{{ else }}/{{ end }}{{ .external_name }}"),
      .name_after = STR_INIT("/")},
     "{\"id\":\"arn:policy/team/p\"}",
     "p"},
    {{.strategy = EXTERNAL_NAME_PROVIDER, .name_after = STR_INIT("/")}, "{\"id\":\"plain\"}", "plain"},
};

static void names_of_states(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        struct str got = STR_EMPTY;
        diags_init(&diags, a);
        const struct json *attributes = json_parse(a, str_of(names[i].state), "state", &diags);
        bool ok = xp_external_name_of_state(a, &names[i].e, attributes, &diags, &got);
        if (ok != (names[i].name != NULL) || (ok && !str_eqz(got, names[i].name)))
            fail_msg("%zu: " STR_FMT, i, STR_ARG(got));
    }
}

static void names_go_into_lists_of_one(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *before = json_parse(a, STR("{\"oidc\":[{\"client\":\"c\"}]}"), "before", &diags);
    const struct json *after = json_parse(a, STR("{\"oidc\":[{\"client\":\"c\",\"name\":\"n\"}]}"), "after", &diags);
    assert_true(json_eq(xp_external_name_set(a, before, STR("oidc.name"), STR("n")), after));
}

static const struct json *read_json(struct arena *a, const char *path)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str text;
    const struct json *file = file_read(a, path, 1 << 20, &diags, &text) ? json_parse(a, text, path, &diags) : NULL;
    testing_no_errors(&diags);
    return file;
}

static struct xp_config *shipped(struct arena *a, const char *path)
{
    struct diags diags;
    diags_init(&diags, a);
    struct str text;
    struct xp_config *c = file_read(a, path, 1 << 22, &diags, &text) ? xp_config_read(a, text, path, &diags) : NULL;
    testing_no_errors(&diags);
    return c;
}

/* An expected `null` means no result, with a diagnostic that says why. */
static void check_shipped(struct arena *a, struct xp_config *config, const struct json *setup, const struct json *c)
{
    struct xp_resource_config r;
    struct diags diags;
    struct str got = STR_EMPTY, name = text_of(c, "name");
    diags_init(&diags, a);
    xp_config_resolve(config, a, text_of(c, "type"), FLAVOUR_CLUSTER, &r);
    const struct xp_external_name *e = &r.external_name;
    const struct json *state = json_get(c, "state"), *expected = json_get(c, state ? "name" : "id");
    bool ok = state ? xp_external_name_of_state(a, e, state, &diags, &got)
                    : xp_external_name_id(a, e, name, json_get(c, "parameters"), setup, &diags, &got);
    if (ok != (expected->kind == JSON_STRING) || ok == diags_has_errors(&diags) || (ok && !str_eq(got, expected->text)))
        fail_msg(STR_FMT ": got " STR_FMT, STR_ARG(text_of(c, "type")), STR_ARG(got));
    if (json_get(c, "argument") && !str_eq(xp_external_name_argument(a, e, name), text_of(c, "argument")))
        fail_msg(STR_FMT ": another argument", STR_ARG(text_of(c, "type")));
}

static void shipped_rules(void **state)
{
    (void)state;
    static const char *const providers[] = {"aws", "azurerm", "cloudflare"};
    for (size_t p = 0; p < sizeof providers / sizeof providers[0]; p++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        const struct json *file =
            read_json(a, arena_printf(a, TERRANE_SOURCE "/src/crossplane/testdata/%s_names.json", providers[p]).p);
        const struct json *cases = json_get(file, "cases");
        struct xp_config *config = shipped(a, arena_printf(a, TERRANE_SOURCE "/share/providers/%s.yaml", providers[p]).p);
        for (size_t i = 0; i < cases->array.n; i++) {
            const struct json *own = json_get(cases->array.items[i], "setup");
            check_shipped(a, config, own ? own : json_get(file, "setup"), cases->array.items[i]);
        }
    }
}

/* A CUSTOM rule sets no argument, so objects of its type could not be created. */
static void nothing_shipped_is_custom(void **state)
{
    (void)state;
    static const char *const providers[] = {"aws",   "azuread", "azurerm", "cloudflare", "digitalocean",
                                            "gitea", "github",  "null",    "zitadel"};
    for (size_t p = 0; p < sizeof providers / sizeof providers[0]; p++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct xp_config *c = shipped(a, arena_printf(a, TERRANE_SOURCE "/share/providers/%s.yaml", providers[p]).p);
        for (size_t i = 0; i < c->rules.n; i++)
            if (c->rules.v[i].has_external_name && c->rules.v[i].external_name.strategy == EXTERNAL_NAME_CUSTOM)
                fail_msg("%s: " STR_FMT, providers[p], STR_ARG(c->rules.v[i].pattern));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_hold),
        cmocka_unit_test(bad_templates),
        cmocka_unit_test(what_a_strategy_implies),
        cmocka_unit_test(ids_to_ask_for),
        cmocka_unit_test(names_of_states),
        cmocka_unit_test(names_go_into_lists_of_one),
        cmocka_unit_test(shipped_rules),
        cmocka_unit_test(nothing_shipped_is_custom),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
