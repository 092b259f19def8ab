#include "base/buf.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#define assert_buf(b, text) assert_true(str_eqz(buf_str(b), (text)))

static void pieces_are_appended(void **state)
{
    (void)state;
    struct buf b BUF_AUTO = BUF_INIT(1000);
    assert_buf(&b, "");
    buf_addz(&b, "one");
    buf_addc(&b, ' ');
    buf_add(&b, STR("two"));
    buf_add(&b, (struct str){NULL, 0});
    buf_printf(&b, " %d%s", 3, "!");
    assert_buf(&b, "one two 3!");
    assert_true(buf_ok(&b));
}

static void the_bound_is_exact_for_every_way_to_append(void **state)
{
    (void)state;
    struct buf b BUF_AUTO = BUF_INIT(5);
    buf_addz(&b, "12345");
    assert_true(buf_ok(&b));
    buf_addc(&b, '6');
    assert_false(buf_ok(&b));
    assert_buf(&b, "12345");

    buf_clear(&b);
    buf_printf(&b, "%s", "12345"); /* fits: the NUL of printf does not count */
    assert_true(buf_ok(&b));
    assert_buf(&b, "12345");

    buf_clear(&b);
    buf_printf(&b, "%s", "123456");
    assert_false(buf_ok(&b));
    assert_buf(&b, "");

    buf_clear(&b);
    assert_non_null(buf_room(&b, 5));
    assert_null(buf_room(&b, 6));
    assert_false(buf_ok(&b));
}

static void a_failure_stays_and_changes_nothing(void **state)
{
    (void)state;
    struct buf b BUF_AUTO = BUF_INIT(4);
    buf_addz(&b, "abc");
    buf_addz(&b, "de");
    buf_addz(&b, "f"); /* would fit */
    buf_addc(&b, 'g');
    buf_printf(&b, "h");
    assert_false(buf_ok(&b));
    assert_buf(&b, "abc");
    buf_clear(&b);
    assert_true(buf_ok(&b));
    buf_addz(&b, "abcd");
    assert_buf(&b, "abcd");
}

static void room_is_there_also_for_nothing(void **state)
{
    (void)state;
    struct buf b BUF_AUTO = BUF_INIT(10), closed BUF_AUTO = BUF_INIT(0);
    assert_non_null(buf_room(&b, 0));
    assert_non_null(buf_room(&closed, 0));
    assert_null(buf_room(&closed, 1));
    memcpy(buf_room(&b, 3), "abc", 3);
    buf_grew(&b, 2);
    assert_buf(&b, "ab");
}

static void a_large_bound_does_not_overflow(void **state)
{
    (void)state;
    struct buf b BUF_AUTO = BUF_INIT(SIZE_MAX);
    buf_addz(&b, "x");
    assert_null(buf_room(&b, SIZE_MAX - 1)); /* no such memory: an error, not an endless loop */
    assert_false(buf_ok(&b));
    assert_buf(&b, "x");
}

static void growth_keeps_the_content(void **state)
{
    (void)state;
    enum { N = 100000 };
    struct buf b BUF_AUTO = BUF_INIT(N);
    for (int i = 0; i < N; i++)
        buf_addc(&b, (char)('a' + i % 26));
    assert_true(buf_ok(&b));
    assert_int_equal(b.n, N);
    assert_true(b.cap <= N);
    for (int i = 0; i < N; i++)
        assert_int_equal(b.p[i], 'a' + i % 26);
}

static void consuming_drops_from_the_front(void **state)
{
    (void)state;
    struct buf b BUF_AUTO = BUF_INIT(100);
    buf_addz(&b, "hello world");
    buf_consume(&b, 6);
    assert_buf(&b, "world");
    buf_consume(&b, 0);
    assert_buf(&b, "world");
    buf_consume(&b, 99);
    assert_buf(&b, "");
}

static void a_copy_outlives_the_buffer(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf b = BUF_INIT(100);
    assert_string_equal(buf_copy(&b, a).p, "");
    buf_addz(&b, "kept");
    struct str copy = buf_copy(&b, a);
    buf_wipe(&b);
    assert_null(b.p);
    assert_int_equal(b.max, 100);
    assert_string_equal(copy.p, "kept");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_appended),
        cmocka_unit_test(the_bound_is_exact_for_every_way_to_append),
        cmocka_unit_test(a_failure_stays_and_changes_nothing),
        cmocka_unit_test(room_is_there_also_for_nothing),
        cmocka_unit_test(a_large_bound_does_not_overflow),
        cmocka_unit_test(growth_keeps_the_content),
        cmocka_unit_test(consuming_drops_from_the_front),
        cmocka_unit_test(a_copy_outlives_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
