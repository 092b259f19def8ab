#include "crossplane/testing_crossplane.h"

static struct str text_of(const struct json *j, const char *key)
{
    return json_text(json_get(j, key), STR_EMPTY);
}

/* Does the operation; what it gives is compared with the member of `expect` that *ret_key names. */
static bool run_case(struct arena *a, const struct json *c, struct diags *diags, const char **ret_key, struct str *ret)
{
    struct str operation = text_of(c, "operation"), template = text_of(c, "template");
    *ret_key = "name";
    if (str_eqz(operation, "name_from_id"))
        return template_name(a, template, text_of(c, "id"), diags, ret);
    if (str_eqz(operation, "name_from_state")) {
        struct external_name e = {.strategy = EXTERNAL_NAME_TEMPLATE, .template = template};
        return external_name_of_state(a, &e, json_get(c, "state"), diags, ret);
    }
    if (str_eqz(operation, "name_from_computed_identifier")) {
        struct external_name e = {
            .strategy = EXTERNAL_NAME_COMPUTED, .field = text_of(c, "attribute"), .placeholder = text_of(c, "placeholder")};
        return external_name_of_state(a, &e, json_get(c, "state"), diags, ret);
    }
    *ret_key = "id";
    if (!str_eqz(operation, "id_from_template"))
        fail_msg("unknown operation " STR_FMT, STR_ARG(operation));
    return template_id(a, template, text_of(c, "name"), json_get(c, "parameters"), json_get(c, "setup"), diags, ret);
}

static void check_fact(struct arena *a, const struct json *c)
{
    const struct json *expect = json_get(c, "expect");
    if (str_eqz(text_of(c, "operation"), "set_identifier_argument")) {
        assert_true(json_eq(external_name_set(a, json_get(c, "arguments"), text_of(c, "field"), text_of(c, "name")),
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
    if (!cases) {
        skip();
        return;
    }
    for (size_t i = 0; i < cases->array.n; i++)
        check_fact(a, cases->array.items[i]);
}

static void bad_templates(void **state)
{
    (void)state;
    static const char *const templates[] = {
        "{{",  "{{ .external_name", "{{ external_name }}", "{{ .external_name | Title }}", "{{ if .external_name }}x{{ end }}",
        "{{}}"};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof templates / sizeof templates[0]; i++) {
        struct diags diags;
        diags_init(&diags, a);
        struct str got;
        assert_false(template_check(str_of(templates[i]), "p.yaml:3", &diags));
        testing_says(&diags, "p.yaml:3");
        assert_false(template_id(a, str_of(templates[i]), STR("n"), NULL, NULL, &diags, &got));
        assert_false(template_name(a, str_of(templates[i]), STR("n"), &diags, &got));
    }
}

static void what_a_strategy_implies(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct external_name e = {.strategy = EXTERNAL_NAME_TEMPLATE,
                              .field = STR("name"),
                              .template = STR("/{{ .parameters.group }}/{{ .external_name }}/{{ .setup.configuration.x }}")};
    external_name_imply(a, &e);
    assert_int_equal(e.omit.n, 1);
    assert_true(str_eqz(e.omit.v[0], "name"));
    assert_int_equal(e.identifiers.n, 1);
    assert_true(str_eqz(e.identifiers.v[0], "group"));
    struct external_name said = {.strategy = EXTERNAL_NAME_NAME, .has_omit = true};
    external_name_imply(a, &said);
    assert_int_equal(said.omit.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_hold),
        cmocka_unit_test(bad_templates),
        cmocka_unit_test(what_a_strategy_implies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
