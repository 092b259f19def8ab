#include "base/vec.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

struct point {
    int x;
    long double y; /* requires the strictest alignment */
};

static void elements_come_zeroed_and_stay(void **state)
{
    (void)state;
    enum { N = 1000 };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    VEC(struct point) list = {0};
    for (int i = 0; i < N; i++) {
        struct point *p = VEC_PUSH(a, &list);
        assert_int_equal((uintptr_t)p % alignof(struct point), 0);
        assert_int_equal(p->x, 0);
        *p = (struct point){i, i};
    }
    assert_int_equal(list.n, N);
    for (int i = 0; i < N; i++)
        assert_int_equal(list.v[i].x, i);
}

static void what_was_left_behind_stays_readable(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    VEC(int) list = {0};
    *VEC_PUSH(a, &list) = 7;
    const int *old = list.v;
    for (int i = 0; i < 100; i++)
        *VEC_PUSH(a, &list) = i;
    assert_ptr_not_equal(old, list.v);
    assert_int_equal(*old, 7);
    assert_int_equal(list.v[0], 7);
}

static void room_for_many_is_made_at_once(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    VEC(int) list = {0};
    vec_reserve(a, (void **)&list.v, &list.cap, 1000, sizeof *list.v, alignof(int));
    assert_true(list.cap >= 1000);
    const int *v = list.v;
    for (int i = 0; i < 1000; i++)
        *VEC_PUSH(a, &list) = i;
    assert_ptr_equal(v, list.v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_come_zeroed_and_stay),
        cmocka_unit_test(what_was_left_behind_stays_readable),
        cmocka_unit_test(room_for_many_is_made_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
