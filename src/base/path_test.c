#include "base/path.h"

#include "base/buf.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static void paths_read_as_users_write_them(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_string_equal(path_text(a, PATH_ROOT).p, "");
    struct path tags = path_attr(a, PATH_ROOT, STR("tags"));
    assert_string_equal(path_text(a, tags).p, "tags");
    assert_string_equal(path_text(a, path_key(a, tags, STR("Name"))).p, "tags[\"Name\"]");
    struct path disk = path_index(a, path_attr(a, PATH_ROOT, STR("disk")), 2);
    assert_string_equal(path_text(a, path_attr(a, disk, STR("size"))).p, "disk[2].size");
    assert_string_equal(path_text(a, path_attr(a, path_element(a, tags, NULL), STR("x"))).p, "tags[...].x");
    assert_string_equal(path_text(a, path_index(a, PATH_ROOT, -1)).p, "[-1]");
}

static void keys_are_escaped(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_string_equal(path_text(a, path_key(a, PATH_ROOT, STR("a\"b\\c\nd"))).p, "[\"a\\\"b\\\\c\\nd\"]");
}

static void a_longer_path_leaves_the_shorter_alone(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct path parent = path_attr(a, PATH_ROOT, STR("a"));
    struct path one = path_attr(a, parent, STR("b")), two = path_attr(a, parent, STR("c"));
    assert_int_equal(parent.n, 1);
    assert_string_equal(path_text(a, one).p, "a.b");
    assert_string_equal(path_text(a, two).p, "a.c");
}

static void equality_is_of_kinds_and_values(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct path attr = path_attr(a, PATH_ROOT, STR("x")), key = path_key(a, PATH_ROOT, STR("x"));
    assert_true(path_eq(PATH_ROOT, PATH_ROOT));
    assert_true(path_eq(attr, path_attr(a, PATH_ROOT, STR("x"))));
    assert_false(path_eq(attr, key));
    assert_false(path_eq(attr, path_attr(a, PATH_ROOT, STR("y"))));
    assert_false(path_eq(attr, PATH_ROOT));
    assert_false(path_eq(path_index(a, attr, 1), path_index(a, attr, 2)));
    const struct value *one = (const void *)a, *two = (const void *)&one;
    assert_true(path_eq(path_element(a, attr, one), path_element(a, attr, one)));
    assert_false(path_eq(path_element(a, attr, one), path_element(a, attr, two)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_read_as_users_write_them),
        cmocka_unit_test(keys_are_escaped),
        cmocka_unit_test(a_longer_path_leaves_the_shorter_alone),
        cmocka_unit_test(equality_is_of_kinds_and_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
