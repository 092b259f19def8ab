#include "cli/config_file.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* Writes a file, reads it, and removes it with its folder. */
static bool read_text(struct arena *a, const char *name, const char *text, struct diags *diags, struct config_file *ret)
{
    char folder[] = "/tmp/terrane-config-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const char *path = arena_printf(a, "%s/%s", folder, name).p;
    diags_init(diags, a);
    assert_true(file_write(path, str_of(text), 0600, diags));
    bool ok = config_file_read(a, path, diags, ret);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    return ok;
}

static void places_are_found(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    static const struct {
        const char *file, *text;
    } files[] = {
        {"a.json", "{\n  \"name\": \"web\",\n  \"rule\": [\n    {\"port\": 1},\n    {\"port\": 2}\n  ]\n}\n"},
        {"a.yaml", "---\n\"name\": web\nrule:\n  - port: 1\n  - port: 2\n"},
        {"a.yml", "---\n\"name\": web\nrule:\n  - port: 1\n  - port: 2\n"},
    };
    struct path name = path_attr(a, PATH_ROOT, STR("name")), rule = path_attr(a, PATH_ROOT, STR("rule"));
    struct path second = path_index(a, rule, 1), port = path_attr(a, second, STR("port"));
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct diags diags;
        struct config_file f;
        assert_true(read_text(a, files[i].file, files[i].text, &diags, &f));
        assert_int_equal(config_file_place(&f, name, DIAG_AT_VALUE).line, 2);
        assert_int_equal(config_file_place(&f, rule, DIAG_AT_NAME).line, 3);
        assert_int_equal(config_file_place(&f, second, DIAG_AT_VALUE).line, 5);
        assert_int_equal(config_file_place(&f, port, DIAG_AT_VALUE).line, 5);
        assert_int_equal(config_file_place(&f, path_attr(a, second, STR("absent")), DIAG_AT_VALUE).line, 5);
        assert_int_equal(config_file_place(&f, path_index(a, rule, 7), DIAG_AT_NAME).line, 3);
        assert_int_equal(config_file_place(&f, path_attr(a, name, STR("deeper")), DIAG_AT_VALUE).line, 2);
    }
}

static void places_are_values_names_and_ends(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct path rule = path_attr(a, PATH_ROOT, STR("rule")), second = path_index(a, rule, 1);
    static const char text[] = "{\n  \"n\": \"}\\\"{\", \"\u00e9\":  [],\n  \"rule\":  [{}, {\"\u00e9\": \"]\"\n }]\n }";
    const struct {
        struct path path;
        enum diag_where where;
        uint32_t line, column;
    } cases[] = {
        {PATH_ROOT, DIAG_AT_END, 5, 2},
        {rule, DIAG_AT_NAME, 3, 3},
        {rule, DIAG_AT_VALUE, 3, 12},
        {rule, DIAG_AT_END, 3, 12},
        {second, DIAG_AT_VALUE, 3, 17},
        {second, DIAG_AT_END, 4, 2},
        {path_attr(a, PATH_ROOT, STR("\u00e9")), DIAG_AT_NAME, 2, 16},
        {path_attr(a, PATH_ROOT, STR("\u00e9")), DIAG_AT_VALUE, 2, 22},
    };
    struct diags diags;
    struct config_file f;
    assert_true(read_text(a, "a.json", text, &diags, &f));
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct config_place place = config_file_place(&f, cases[i].path, cases[i].where);
        assert_int_equal(place.line, cases[i].line);
        assert_int_equal(place.column, cases[i].column);
    }
    /* Objects in YAML have no end. */
    assert_true(read_text(a, "a.yaml", "a: 1\nrule:\n  - b: 1\n  - c: 2\n", &diags, &f));
    assert_int_equal(config_file_place(&f, second, DIAG_AT_END).line, 4); /* its beginning */
}

static const char *refusal(struct arena *a, const char *name, const char *text)
{
    struct diags diags;
    struct config_file f;
    assert_false(read_text(a, name, text, &diags, &f));
    assert_int_equal(diags.n_errors, 1);
    return arena_printf(a, STR_FMT ": " STR_FMT, STR_ARG(diags.v[0].summary), STR_ARG(diags.v[0].detail)).p;
}

static void what_is_no_configuration_is_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_non_null(strstr(refusal(a, "a.json", "[1]"), "contains a list"));
    assert_non_null(strstr(refusal(a, "a.yaml", "web"), "contains a string"));
    assert_non_null(strstr(refusal(a, "a.json", "{\"a\": 1,}"), "a.json"));
    assert_non_null(strstr(refusal(a, "a.yaml", "a: [1"), "a.yaml"));
    assert_non_null(strstr(refusal(a, "a.tf", "{}"), "-c -"));
    assert_non_null(strstr(refusal(a, "a.json", ""), "a.json"));
}

static void an_empty_yaml_file_is_an_empty_object(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    struct config_file f;
    assert_true(read_text(a, "a.yaml", "# nothing\n", &diags, &f));
    assert_int_equal(f.json->kind, JSON_OBJECT);
    assert_int_equal(config_file_place(&f, path_attr(a, PATH_ROOT, STR("x")), DIAG_AT_VALUE).line, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_found),
        cmocka_unit_test(places_are_values_names_and_ends),
        cmocka_unit_test(what_is_no_configuration_is_refused),
        cmocka_unit_test(an_empty_yaml_file_is_an_empty_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
