#include "state/state_value.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

struct fixture {
    struct arena *arena;
    struct diags diags;
    const struct type *type;
};

static const struct type *parse_type(struct fixture *f, const char *text)
{
    const struct type *t = type_parse(f->arena, str_of(text), &f->diags);
    assert_non_null(t);
    return t;
}

static int set_up(void **state)
{
    struct arena *a = arena_new(NULL, 0);
    struct fixture *f = arena_make(a, struct fixture);
    f->arena = a;
    diags_init(&f->diags, a);
    f->type = parse_type(f, "[\"object\",{\"id\":\"string\",\"n\":\"number\",\"any\":\"dynamic\",\"tags\":[\"map\",\"string\"],"
                            "\"ports\":[\"set\",\"number\"]}]");
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    arena_free(((struct fixture *)*state)->arena);
    return 0;
}

static const struct json *parse(struct fixture *f, const char *text)
{
    return json_parse(f->arena, str_of(text), "test", &f->diags);
}

static void attributes_go_both_ways(void **state)
{
    struct fixture *f = *state;
    const struct json *j = parse(f, "{\"any\":{\"value\":[1,\"x\"],\"type\":[\"tuple\",[\"number\",\"string\"]]},\"id\":\"i\","
                                    "\"n\":1.5,\"ports\":[80,443],\"tags\":null}");
    struct state_instance object = {.attributes = j};
    const struct value *v = state_get_attributes(f->arena, &object, f->type, &f->diags);
    assert_non_null(v);
    assert_true(str_eqz(value_get(v, STR("id"))->string, "i"));
    struct state_instance back = {.flat = {.n = 1}};
    assert_true(state_set_attributes(f->arena, &back, v, f->type, &f->diags));
    assert_true(json_eq(back.attributes, j));
    assert_int_equal(back.flat.n, 0);
}

static void an_object_without_attributes_is_all_null(void **state)
{
    struct fixture *f = *state;
    const struct value *v = state_get_attributes(f->arena, &(struct state_instance){0}, f->type, &f->diags);
    assert_non_null(v);
    assert_true(value_is_null(value_get(v, STR("id"))));
}

static void flat_attributes_are_read_by_the_type(void **state)
{
    struct fixture *f = *state;
    const struct type *type = parse_type(
        f, "[\"object\",{\"id\":\"string\",\"n\":\"number\",\"tags\":[\"map\",\"string\"],\"l\":[\"list\",\"string\"]}]");
    struct flatmap_entry entries[] = {
        {STR("id"), STR("i")}, {STR("n"), STR("3")}, {STR("tags.%"), STR("1")}, {STR("tags.a.b"), STR("c")}};
    struct state_instance object = {.flat = {entries, 4}};
    const struct value *v = state_get_attributes(f->arena, &object, type, &f->diags);
    assert_non_null(v);
    assert_int_equal(value_get(v, STR("n"))->number.i, 3);
    assert_true(str_eqz(value_get(value_get(v, STR("tags")), STR("a.b"))->string, "c"));
    assert_true(value_is_null(value_get(v, STR("l"))));
}

static void what_does_not_fit_is_refused(void **state)
{
    struct fixture *f = *state;
    struct state_instance object = {.attributes = parse(f, "{\"gone\":1}")};
    assert_null(state_get_attributes(f->arena, &object, f->type, &f->diags));
    assert_int_equal(f->diags.n, 1);
    object.attributes = parse(f, "{\"n\":[]}");
    assert_null(state_get_attributes(f->arena, &object, f->type, &f->diags));
    assert_int_equal(f->diags.n, 2);
    const struct json *kept = object.attributes;
    assert_false(state_set_attributes(f->arena, &object, value_unknown(f->arena, f->type), f->type, &f->diags));
    assert_false(state_set_attributes(f->arena, &object, value_null(f->arena, f->type), f->type, &f->diags));
    assert_ptr_equal(object.attributes, kept);
}

static void sensitive_paths_end_before_a_set(void **state)
{
    struct fixture *f = *state;
    struct arena *a = f->arena;
    struct path set = path_attr(a, PATH_ROOT, STR("ports"));
    struct path paths[] = {
        path_attr(a, path_element(a, set, value_int(a, 1)), STR("x")),
        path_attr(a, path_element(a, set, value_int(a, 2)), STR("x")),
        path_key(a, path_attr(a, PATH_ROOT, STR("tags")), STR("k")),
        path_index(a, path_attr(a, PATH_ROOT, STR("l")), 2),
    };
    struct state_instance object = {0};
    state_set_sensitive(a, &object, marks_make(a, paths, 4));
    assert_int_equal(object.n_sensitive, 3);
    assert_string_equal(path_text(a, object.sensitive[0]).p, "l[2]");
    assert_string_equal(path_text(a, object.sensitive[1]).p, "ports");
    assert_string_equal(path_text(a, object.sensitive[2]).p, "tags[\"k\"]");
    struct marks back = state_get_sensitive(a, &object);
    assert_int_equal(back.n, 3);
    assert_true(marks_cover(back, paths[0]));
    state_set_sensitive(a, &object, (struct marks){0});
    assert_int_equal(object.n_sensitive, 0);
}

static void identity_comes_with_its_version(void **state)
{
    struct fixture *f = *state;
    const struct type *type = parse_type(f, "[\"object\",{\"id\":\"string\"}]");
    const struct value *id = value_string(f->arena, STR("x"));
    struct state_instance object = {0};
    assert_true(value_is_null(state_get_identity(f->arena, &object, type, &f->diags)));
    const struct value *v = value_object(f->arena, type, &id);
    assert_true(state_set_identity(f->arena, &object, v, type, 3, &f->diags));
    assert_true(object.has_identity_version);
    assert_int_equal(object.identity_schema_version, 3);
    assert_true(value_raw_eq(state_get_identity(f->arena, &object, type, &f->diags), v));
    assert_false(state_set_identity(f->arena, &object, value_unknown(f->arena, type), type, 4, &f->diags));
    assert_int_equal(object.identity_schema_version, 3);
    assert_true(state_set_identity(f->arena, &object, value_null(f->arena, type), type, 3, &f->diags));
    assert_null(object.identity);
    assert_false(object.has_identity_version);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(attributes_go_both_ways, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_object_without_attributes_is_all_null, set_up, tear_down),
        cmocka_unit_test_setup_teardown(flat_attributes_are_read_by_the_type, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_does_not_fit_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sensitive_paths_end_before_a_set, set_up, tear_down),
        cmocka_unit_test_setup_teardown(identity_comes_with_its_version, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
