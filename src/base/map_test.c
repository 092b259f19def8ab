#include "base/map.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { MANY = 10000 };

static struct str key_of(struct arena *a, int i)
{
    return arena_printf(a, "key-%d", i * 7919 % MANY);
}

static struct map make_map(struct arena *a, int *values)
{
    struct map m;
    map_init(&m, a);
    for (int i = 0; i < MANY; i++) {
        values[i] = i;
        map_put(&m, key_of(a, i), &values[i]);
    }
    return m;
}

static void ten_thousand_entries_are_found_in_order_of_insertion(void **state)
{
    (void)state;
    static int values[MANY];
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct map m = make_map(a, values);
    assert_int_equal(m.n, MANY);
    for (int i = 0; i < MANY; i++) {
        assert_ptr_equal(map_get(&m, key_of(a, i)), &values[i]);
        assert_true(str_eq(m.entries[i].key, key_of(a, i)));
    }
    assert_null(map_get(&m, STR("key-10000")));
    assert_null(map_get(&m, STR("")));
}

static void sorting_orders_by_key_and_keeps_lookup(void **state)
{
    (void)state;
    static int values[MANY];
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct map m = make_map(a, values);
    map_sort(&m);
    for (int i = 1; i < MANY; i++)
        assert_true(str_cmp(m.entries[i - 1].key, m.entries[i].key) < 0);
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(map_get(&m, key_of(a, i)), &values[i]);
    int more = 0;
    map_put(&m, STR("a new one"), &more);
    assert_ptr_equal(map_get(&m, STR("a new one")), &more);
    assert_true(str_eqz(m.entries[MANY].key, "a new one"));
}

static void put_replaces_in_place_and_add_refuses(void **state)
{
    (void)state;
    int one = 1, two = 2, three = 3;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct map m;
    map_init(&m, a);
    map_put(&m, STR("a"), &one);
    map_put(&m, STR("b"), &two);
    map_put(&m, STR("a"), &three);
    assert_int_equal(m.n, 2);
    assert_ptr_equal(m.entries[0].value, &three);
    assert_false(map_add(&m, STR("b"), &one));
    assert_ptr_equal(map_get(&m, STR("b")), &two);
    assert_true(map_add(&m, STR("c"), &one));
    assert_int_equal(m.n, 3);
}

static void keys_may_be_empty_and_hold_nul(void **state)
{
    (void)state;
    int one = 1, two = 2;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct map m;
    map_init(&m, a);
    assert_null(map_get(&m, STR_EMPTY));
    map_put(&m, STR_EMPTY, &one);
    map_put(&m, STR("a\0b"), &two);
    assert_ptr_equal(map_get(&m, STR_EMPTY), &one);
    assert_ptr_equal(map_get(&m, STR("a\0b")), &two);
    assert_null(map_get(&m, STR("a")));
    map_sort(&m);
    assert_ptr_equal(map_get(&m, STR_EMPTY), &one);
}

static void sorting_nothing_is_harmless(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct map m;
    map_init(&m, a);
    map_sort(&m);
    assert_int_equal(m.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_entries_are_found_in_order_of_insertion),
        cmocka_unit_test(sorting_orders_by_key_and_keeps_lookup),
        cmocka_unit_test(put_replaces_in_place_and_add_refuses),
        cmocka_unit_test(keys_may_be_empty_and_hold_nul),
        cmocka_unit_test(sorting_nothing_is_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
