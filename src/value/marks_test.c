#include "value/marks.h"

#include "table_test.h"

static void marks_are_a_sorted_set_of_paths(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct path b = path_attr(a, PATH_ROOT, STR("b")), c = path_attr(a, PATH_ROOT, STR("c"));
    struct path b0 = path_index(a, b, 0), b1 = path_index(a, b, 1);
    struct path one[] = {c, b1, b, b0, c}, other[] = {b0, b, c, b1};
    struct marks m = marks_make(a, one, 5), n = marks_make(a, other, 4);
    assert_int_equal(m.n, 4);
    assert_true(path_eq(m.paths[0], b) && path_eq(m.paths[1], b0) && path_eq(m.paths[2], b1) && path_eq(m.paths[3], c));
    assert_true(marks_eq(m, n));
    assert_false(marks_eq(m, marks_make(a, other, 3)));
    assert_true(marks_eq(marks_union(a, marks_make(a, &b, 1), marks_make(a, other, 4)), m));
    assert_int_equal(marks_union(a, (struct marks){NULL, 0}, (struct marks){NULL, 0}).n, 0);
}

static void a_mark_covers_what_is_inside(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct path auth = path_attr(a, PATH_ROOT, STR("auth")), keys = path_attr(a, auth, STR("keys"));
    struct path key = path_key(a, keys, STR("k")), name = path_attr(a, auth, STR("name"));
    struct marks m = marks_make(a, &keys, 1);
    assert_true(marks_cover(m, keys) && marks_cover(m, key));
    assert_false(marks_cover(m, auth) || marks_cover(m, name) || marks_cover(m, PATH_ROOT));
    assert_false(marks_cover((struct marks){NULL, 0}, key));
}

static void set_elements_are_the_same_by_value(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct path s = path_attr(a, PATH_ROOT, STR("s"));
    struct path x = path_element(a, s, notation_parse(a, "{\"a\":1}")), same = path_element(a, s, notation_parse(a, "{\"a\":1}"));
    struct path y = path_element(a, s, notation_parse(a, "{\"a\":2}")), z = path_element(a, s, notation_parse(a, "\"text\""));
    struct path all[] = {x, y, same, z};
    struct marks m = marks_make(a, all, 4);
    assert_int_equal(m.n, 3);
    assert_true(marks_cover(m, same));
    assert_true(marks_eq(marks_make(a, &x, 1), marks_make(a, &same, 1)));
    assert_false(marks_eq(marks_make(a, &x, 1), marks_make(a, &y, 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marks_are_a_sorted_set_of_paths),
        cmocka_unit_test(a_mark_covers_what_is_inside),
        cmocka_unit_test(set_elements_are_the_same_by_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
