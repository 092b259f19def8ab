#include "jsonrpc/handles.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include <stdlib.h>

static size_t freed;

static void on_free(struct handle *h)
{
    freed++;
    free(h);
}

static struct str add(struct handle_table *t, struct arena *a)
{
    return handles_add(t, calloc(1, sizeof(struct handle)), a);
}

static void a_handle_lives_until_its_last_user(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct handle_table t;
    handles_init(&t, "thing-", on_free);
    freed = 0;
    struct str one = add(&t, a), two = add(&t, a);
    assert_string_equal(one.p, "thing-1");
    assert_string_equal(two.p, "thing-2");
    struct handle *user = handles_get(&t, one);
    assert_non_null(user);
    handle_use(&t, user);
    handle_release(&t, user);
    handle_release(&t, handles_take(&t, one));
    assert_null(handles_get(&t, one));
    assert_null(handles_take(&t, one));
    assert_int_equal(freed, 0);
    handle_release(&t, user);
    assert_int_equal(freed, 1);
    assert_string_equal(add(&t, a).p, "thing-3"); /* names are never given twice */
    handle_release(&t, handles_take(&t, two));
    handle_release(&t, handles_take(&t, STR("thing-3")));
    assert_int_equal(freed, 3);
    handles_done(&t);
}

static void only_the_name_itself_is_a_name(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct handle_table t;
    handles_init(&t, "thing-", on_free);
    (void)add(&t, a);
    static const char *const others[] = {"",
                                         "thing-",
                                         "thing-01",
                                         "thing-+1",
                                         "thing- 1",
                                         "thing-1 ",
                                         "thing-257",
                                         "other-1",
                                         "1",
                                         "thing--1",
                                         "thing-99999999999999999999"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_null(handles_get(&t, str_of(others[i])));
    assert_null(handles_get(&t, STR("thing-1\0")));
    handle_release(&t, handles_take(&t, STR("thing-1")));
    handles_done(&t);
}

static bool is_even(const struct handle *h, const void *what)
{
    return h->number % 2 == 0 && what != NULL;
}

static void any_that_fits_is_taken(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct handle_table t;
    handles_init(&t, "", on_free);
    freed = 0;
    for (int i = 0; i < 1000; i++)
        (void)add(&t, a);
    for (struct handle *h; (h = handles_take_any(&t, is_even, &t));)
        handle_release(&t, h);
    assert_int_equal(freed, 500);
    for (uint64_t i = 1; i <= 1000; i += 2)
        handle_release(&t, handles_take(&t, arena_printf(a, "%d", (int)i)));
    assert_int_equal(freed, 1000);
    handles_done(&t);
}

static void a_plan_is_taken_once(void **state)
{
    (void)state;
    struct plan_bits b;
    plan_bits_init(&b);
    assert_false(plan_bits_take(&b, 0));
    assert_false(plan_bits_take(&b, 1));
    for (uint64_t i = 1; i <= 20000; i++)
        assert_int_equal(plan_bits_new(&b), i);
    assert_int_equal(b.n_pieces, 0); /* plans alone cost nothing */
    for (uint64_t i = 1; i <= 20000; i += 7)
        assert_true(plan_bits_take(&b, i));
    for (uint64_t i = 1; i <= 20000; i++)
        assert_int_equal(plan_bits_take(&b, i), i % 7 != 1);
    assert_false(plan_bits_take(&b, 20001));
    plan_bits_give_back(&b, 4096);
    assert_true(plan_bits_take(&b, 4096));
    assert_false(plan_bits_take(&b, 4096));
    plan_bits_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_lives_until_its_last_user),
        cmocka_unit_test(only_the_name_itself_is_a_name),
        cmocka_unit_test(any_that_fits_is_taken),
        cmocka_unit_test(a_plan_is_taken_once),
    };
    return cmocka_run_group_tests_name("jsonrpc/handles", tests, NULL, NULL);
}
