#include "value/flatmap.h"

#include "table_test.h"

#include <stdlib.h>

static int by_key(const void *a, const void *b)
{
    return str_cmp(((const struct flatmap_entry *)a)->key, ((const struct flatmap_entry *)b)->key);
}

static struct flatmap flatmap_of(struct arena *a, const struct json *j)
{
    struct flatmap f = {.v = arena_make_n(a, struct flatmap_entry, j->object.n), .n = j->object.n};
    for (size_t i = 0; i < f.n; i++)
        f.v[i] = (struct flatmap_entry){j->object.members[i].key, j->object.members[i].value->text};
    if (f.n > 1)
        qsort(f.v, f.n, sizeof *f.v, by_key);
    return f;
}

static const char *check_to(struct arena *a, const struct json *row)
{
    if (json_get(row, "from") && !json_get(row, "back"))
        return NULL; /* the written form cannot be read back */
    struct diags diags;
    diags_init(&diags, a);
    struct flatmap f = flatmap_of(a, json_get(row, "flat"));
    const struct value *v = flatmap_to_value(a, &f, notation_type(a, json_get(row, "type")), &diags);
    if (json_get(row, "error"))
        return v ? "accepted" : NULL;
    if (!v)
        return arena_printf(a, "refused: " STR_FMT, STR_ARG(diags.v[0].detail)).p;
    const char *want = json_get(row, "from") ? "back" : "value";
    return value_raw_eq(v, notation_value(a, json_get(row, want))) ? NULL : "another value";
}

static void flat_states_are_read_as_by_terraform(void **state)
{
    (void)state;
    run_table("flatmap.jsonl", "flat", check_to);
}

static void a_count_beyond_what_is_stored_is_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct type_attr attr = {.name = STR("l"), .type = type_list(a, &type_string)};
    const char *const counts[] = {"1000000000", "99999999999999999999", "-1", "", "1e3"};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct flatmap_entry entry = {STR("l.#"), str_of(counts[i])};
        struct flatmap f = {&entry, 1};
        assert_null(flatmap_to_value(a, &f, type_object(a, &attr, 1), &diags));
    }
}

static void open_types_cannot_be_read(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct type_attr attr = {.name = STR("d"), .type = &type_dynamic};
    struct flatmap f = {NULL, 0};
    assert_null(flatmap_to_value(a, &f, type_object(a, &attr, 1), &diags));
    assert_string_equal(diags.v[0].detail.p, "no type is known for \"d\" in state");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_states_are_read_as_by_terraform),
        cmocka_unit_test(a_count_beyond_what_is_stored_is_refused),
        cmocka_unit_test(open_types_cannot_be_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
