#include "cli/config_file.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

/* A file in a folder of its own, gone at once after it was read. */
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
        assert_int_equal(config_file_place(&f, name).line, 2);
        assert_int_equal(config_file_place(&f, rule).line, 3);
        assert_int_equal(config_file_place(&f, second).line, 5);
        assert_int_equal(config_file_place(&f, port).line, 5);
        assert_int_equal(config_file_place(&f, path_attr(a, second, STR("absent"))).line, 5);
        assert_int_equal(config_file_place(&f, path_index(a, rule, 7)).line, 3);
        assert_int_equal(config_file_place(&f, path_attr(a, name, STR("deeper"))).line, 2);
    }
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
    assert_non_null(strstr(refusal(a, "a.json", "[1]"), "holds a list"));
    assert_non_null(strstr(refusal(a, "a.yaml", "web"), "holds a text"));
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
    assert_int_equal(config_file_place(&f, path_attr(a, PATH_ROOT, STR("x"))).line, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_found),
        cmocka_unit_test(what_is_no_configuration_is_refused),
        cmocka_unit_test(an_empty_yaml_file_is_an_empty_object),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
