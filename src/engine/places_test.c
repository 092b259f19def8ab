#include "engine/places.h"

#include "base/file.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MAX_TABLE = 64 << 20 };

#ifndef PLACES_TABLE
#define PLACES_TABLE TERRANE_SOURCE "/src/engine/testdata/places.jsonl"
#endif

/* "a" is an attribute, ["k"] a key, [0] an index. */
static struct path read_path(struct arena *a, const struct json *steps)
{
    struct path path = PATH_ROOT;
    for (size_t i = 0; i < steps->array.n; i++) {
        const struct json *step = steps->array.items[i];
        if (step->kind == JSON_STRING) {
            path = path_attr(a, path, step->text);
            continue;
        }
        const struct json *key = step->array.items[0];
        path = key->kind == JSON_STRING ? path_key(a, path, key->text) : path_index(a, path, json_int(key, 0));
    }
    return path;
}

/* A place: names and positions. */
static bool is_place(struct path path, const struct json *want)
{
    if (path.n != want->array.n)
        return false;
    for (size_t i = 0; i < path.n; i++) {
        const struct json *step = want->array.items[i];
        const struct path_step *got = &path.steps[i];
        if (step->kind == JSON_STRING ? got->kind != PATH_ATTR || !str_eq(got->name, step->text)
                                      : got->kind != PATH_INDEX || got->index != json_int(step, -1))
            return false;
    }
    return true;
}

static void diagnostics_stand_where_terraform_puts_them(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct str rest;
    assert_true(file_read(a, PLACES_TABLE, MAX_TABLE, &diags, &rest));
    size_t n = 0, failed = 0;
    (void)str_cut(&rest, '\n'); /* names the oracle */
    while (rest.n > 0) {
        struct str line = str_cut(&rest, '\n');
        const struct json *row = json_parse(a, line, "places.jsonl", &diags);
        assert_non_null(row);
        enum diag_where where;
        struct path place = place_in_config(a, json_get(row, "config"), read_path(a, json_get(row, "attribute")), &where);
        n++;
        if (is_place(place, json_get(row, "place")))
            continue;
        failed++;
        print_error("%.*s\n    got %s\n", (int)line.n, line.p, path_text(a, place).p);
    }
    assert_true(n > 0);
    assert_int_equal(failed, 0);
}

static void a_place_is_a_value_a_name_or_an_end(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *config = json_parse(a, STR("{\"l\": [1], \"b\": {\"x\": 1}}"), "test", &diags);
    struct path l = path_attr(a, PATH_ROOT, STR("l")), b = path_attr(a, PATH_ROOT, STR("b"));
    /* Terraform 1.11.4, validate -json. */
    const struct {
        const struct json *config;
        struct path attribute;
        size_t depth;
        enum diag_where where;
    } cases[] = {
        {config, PATH_ROOT, 0, DIAG_AT_END},
        {config, path_attr(a, PATH_ROOT, STR("absent")), 0, DIAG_AT_END},
        {config, path_index(a, PATH_ROOT, 0), 0, DIAG_AT_END},
        {config, l, 1, DIAG_AT_VALUE},
        {config, path_index(a, l, 0), 2, DIAG_AT_VALUE},
        {config, path_index(a, l, 7), 1, DIAG_AT_NAME},
        {config, path_index(a, l, -1), 1, DIAG_AT_NAME},
        {config, path_attr(a, b, STR("x")), 2, DIAG_AT_VALUE},
        {config, path_attr(a, b, STR("absent")), 1, DIAG_AT_END},
        {config, path_key(a, b, STR("absent")), 1, DIAG_AT_NAME},
        {NULL, l, 0, DIAG_NOWHERE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        enum diag_where where;
        assert_int_equal(place_in_config(a, cases[i].config, cases[i].attribute, &where).n, cases[i].depth);
        assert_int_equal(where, cases[i].where);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(diagnostics_stand_where_terraform_puts_them),
        cmocka_unit_test(a_place_is_a_value_a_name_or_an_end),
    };
    return cmocka_run_group_tests_name("engine/places", tests, NULL, NULL);
}
