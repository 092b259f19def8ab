/* Compares with Go's results in testdata/template.json; tests limits and the list of fields. */
#include "crossplane/template.h"

#include "base/file.h"
#include "base/testing.h"

static const struct json *facts(struct arena *a)
{
    struct diags diags;
    struct str text;
    diags_init(&diags, a);
    const char *path = TERRANE_SOURCE "/src/crossplane/testdata/template.json";
    bool ok = file_read(a, path, 1 << 20, &diags, &text);
    const struct json *file = ok ? json_parse(a, text, path, &diags) : NULL;
    testing_no_errors(&diags);
    return file;
}

static bool run(struct arena *a, struct str text, const struct json *data, struct diags *diags, struct str *ret)
{
    const struct xp_template *t = xp_template_parse(a, text, "p.yaml:3:5", diags);
    return t && xp_template_run(t, a, data, diags, ret);
}

static void as_go_has_it(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *file = facts(a), *cases = json_get(file, "cases");
    assert_true(cases->array.n > 100);
    for (size_t i = 0; i < cases->array.n; i++) {
        const struct json *c = cases->array.items[i];
        struct str template = json_text(json_get(c, "template"), STR_EMPTY), got = STR_EMPTY;
        struct diags diags;
        diags_init(&diags, a);
        bool expected = !json_bool(json_get(c, "error"), false) && !json_bool(json_get(c, "refused"), false);
        if (run(a, template, json_get(file, "data"), &diags, &got) != expected || expected == diags_has_errors(&diags))
            fail_msg(STR_FMT ": %s", STR_ARG(template), expected ? "refused" : "taken");
        if (expected && !str_eq(got, json_text(json_get(c, "out"), STR_EMPTY)))
            fail_msg(STR_FMT ": " STR_FMT, STR_ARG(template), STR_ARG(got));
    }
}

static void says_where_and_what(void **state)
{
    (void)state;
    static const struct {
        const char *template, *says;
    } cases[] = {
        {"{{ range .x }}{{ end }}", "\"range\" is not known here"},
        {"{{ if .x }}", "\"if\" has no \"end\""},
        {"{{ .x", "{{ has no }}"},
        {"{{ end }}", "\"end\" has no \"if\""},
        {"{{ ToLower .a .b }}", "\"ToLower\" has the wrong number of arguments"},
        {"{{ index . 0 }}", "expected a name after the dot"},
        {"{{ index .a 0 1 2 3 4 5 6 7 8 }}", "too many arguments"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct diags diags;
        diags_init(&diags, a);
        assert_null(xp_template_parse(a, str_of(cases[i].template), "p.yaml:3:5", &diags));
        testing_says(&diags, "p.yaml:3:5");
        testing_says(&diags, cases[i].says);
    }
}

static struct str repeat(struct arena *a, const char *text, size_t n)
{
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    for (size_t i = 0; i < n; i++)
        buf_addz(&out, text);
    return buf_copy(&out, a);
}

static void bounds(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct str got;
    diags_init(&diags, a);
    assert_null(xp_template_parse(a, repeat(a, "x", TEMPLATE_MAX + 1), "w", &diags));
    assert_non_null(xp_template_parse(a, repeat(a, "x", TEMPLATE_MAX), "w", &diags));
    assert_null(xp_template_parse(a, arena_printf(a, "{{ " STR_FMT, STR_ARG(repeat(a, "(", 100))), "w", &diags));
    assert_null(xp_template_parse(a, arena_printf(a, "{{ " STR_FMT " }}", STR_ARG(repeat(a, "(", 100))), "w", &diags));
    testing_says(&diags, "nested too deeply");
    struct diags deep;
    diags_init(&deep, a);
    assert_null(xp_template_parse(a, repeat(a, "{{if .a}}", 100), "w", &deep));
    testing_says(&deep, "nested too deeply");
    struct diags long_chain;
    diags_init(&long_chain, a);
    assert_null(xp_template_parse(a, arena_printf(a, "{{if .a}}" STR_FMT "{{end}}", STR_ARG(repeat(a, "{{else if .a}}", 100))),
                                  "w", &long_chain));
    testing_says(&long_chain, "nested too deeply");
    const struct json *data =
        json_parse(a, arena_printf(a, "{\"a\":\"" STR_FMT "\"}", STR_ARG(repeat(a, "y", 60000))), "data", &diags);
    struct diags large;
    diags_init(&large, a);
    assert_false(run(a, STR("{{ .a }}{{ .a }}"), data, &large, &got));
    testing_says(&large, "more than 65536 bytes");
}

static void fields(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct xp_template *t = xp_template_parse(
        a, STR("a/{{ .parameters.x }}{{ if .parameters.y }}{{ .parameters.z }}{{ end }}:{{- .external_name | ToLower -}}/b"), "w",
        &diags);
    struct xp_template_field f;
    size_t at = 0;
    assert_true(xp_template_next_field(t, &at, &f));
    assert_true(str_eqz(f.path, "parameters.x") && f.plain && f.start == 2 && f.end == 21);
    assert_true(xp_template_next_field(t, &at, &f));
    assert_true(str_eqz(f.path, "external_name") && !f.plain);
    assert_false(xp_template_next_field(t, &at, &f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_go_has_it),
        cmocka_unit_test(says_where_and_what),
        cmocka_unit_test(bounds),
        cmocka_unit_test(fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
