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

static void on_free(struct rpc_handle *h)
{
    freed++;
    free(h);
}

static struct str add(struct rpc_handle_table *t, struct arena *a)
{
    assert_true(rpc_handles_reserve(t));
    return rpc_handles_add(t, calloc(1, sizeof(struct rpc_handle)), a);
}

static void a_handle_lives_until_its_last_user(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct rpc_handle_table t;
    rpc_handles_init(&t, "thing-", on_free);
    freed = 0;
    struct str one = add(&t, a), two = add(&t, a);
    assert_string_equal(one.p, "thing-1");
    assert_string_equal(two.p, "thing-2");
    struct rpc_handle *user = rpc_handles_get(&t, one);
    assert_non_null(user);
    rpc_handle_use(&t, user);
    rpc_handle_release(&t, user);
    rpc_handle_release(&t, rpc_handles_take(&t, one));
    assert_null(rpc_handles_get(&t, one));
    assert_null(rpc_handles_take(&t, one));
    assert_int_equal(freed, 0);
    rpc_handle_release(&t, user);
    assert_int_equal(freed, 1);
    assert_string_equal(add(&t, a).p, "thing-3"); /* names are never given twice */
    rpc_handle_release(&t, rpc_handles_take(&t, two));
    rpc_handle_release(&t, rpc_handles_take(&t, STR("thing-3")));
    assert_int_equal(freed, 3);
    rpc_handles_done(&t);
}

static void only_the_name_itself_is_a_name(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct rpc_handle_table t;
    rpc_handles_init(&t, "thing-", on_free);
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
        assert_null(rpc_handles_get(&t, str_of(others[i])));
    assert_null(rpc_handles_get(&t, STR("thing-1\0")));
    rpc_handle_release(&t, rpc_handles_take(&t, STR("thing-1")));
    rpc_handles_done(&t);
}

static bool is_any(const struct rpc_handle *h, const void *what)
{
    (void)h;
    (void)what;
    return true;
}

static void a_full_table_takes_no_more_until_one_is_closed(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct rpc_handle_table t;
    rpc_handles_init(&t, "", on_free);
    freed = 0;
    for (int i = 0; i < HANDLES_MAX - 1; i++)
        (void)add(&t, a);
    assert_true(rpc_handles_reserve(&t)); /* what is being opened counts too */
    assert_false(rpc_handles_reserve(&t));
    rpc_handles_unreserve(&t);
    struct str last = add(&t, a);
    assert_false(rpc_handles_reserve(&t));
    rpc_handle_release(&t, rpc_handles_take(&t, last));
    (void)add(&t, a);
    assert_false(rpc_handles_reserve(&t));
    for (struct rpc_handle *h; (h = rpc_handles_take_any(&t, is_any, NULL));)
        rpc_handle_release(&t, h);
    assert_int_equal(freed, HANDLES_MAX + 1);
    assert_int_equal(t.n, 0);
    rpc_handles_done(&t);
}

static bool is_even(const struct rpc_handle *h, const void *what)
{
    return h->number % 2 == 0 && what != NULL;
}

static void any_that_fits_is_taken(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct rpc_handle_table t;
    rpc_handles_init(&t, "", on_free);
    freed = 0;
    for (int i = 0; i < 1000; i++)
        (void)add(&t, a);
    for (struct rpc_handle *h; (h = rpc_handles_take_any(&t, is_even, &t));)
        rpc_handle_release(&t, h);
    assert_int_equal(freed, 500);
    for (uint64_t i = 1; i <= 1000; i += 2)
        rpc_handle_release(&t, rpc_handles_take(&t, arena_printf(a, "%d", (int)i)));
    assert_int_equal(freed, 1000);
    rpc_handles_done(&t);
}

static void a_plan_is_taken_once(void **state)
{
    (void)state;
    struct rpc_plan_bits b;
    struct rpc_plan_hold hold;
    rpc_plan_bits_init(&b);
    assert_false(rpc_plan_bits_take(&b, 0, &hold));
    assert_false(rpc_plan_bits_take(&b, 1, &hold));
    for (uint64_t i = 1; i <= 20000; i++)
        assert_int_equal(rpc_plan_bits_new(&b), i);
    assert_int_equal(b.n_pieces, 0); /* plans alone cost nothing */
    for (uint64_t i = 1; i <= 20000; i += 7)
        assert_true(rpc_plan_bits_take(&b, i, &hold));
    for (uint64_t i = 1; i <= 20000; i++)
        assert_int_equal(rpc_plan_bits_take(&b, i, &hold), i % 7 != 1);
    assert_false(rpc_plan_bits_take(&b, 20001, &hold));
    assert_int_equal(hold.number, 19999); /* the last that could be taken */
    rpc_plan_bits_done(&b);
}

/*
 * A request that gets no process gives its plan back. If it is cancelled after that, it must not give it back again: another
 * request may have taken the plan.
 */
static void a_plan_is_given_back_once(void **state)
{
    (void)state;
    struct rpc_plan_bits b;
    struct rpc_plan_hold first, second, third;
    rpc_plan_bits_init(&b);
    uint64_t plan = rpc_plan_bits_new(&b);
    assert_true(rpc_plan_bits_take(&b, plan, &first));
    rpc_plan_give_back(&first);
    assert_true(rpc_plan_bits_take(&b, plan, &second));
    rpc_plan_give_back(&first);
    assert_false(rpc_plan_bits_take(&b, plan, &third));
    rpc_plan_give_back(&second);
    assert_true(rpc_plan_bits_take(&b, plan, &third));
    rpc_plan_bits_done(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handle_lives_until_its_last_user),
        cmocka_unit_test(only_the_name_itself_is_a_name),
        cmocka_unit_test(any_that_fits_is_taken),
        cmocka_unit_test(a_full_table_takes_no_more_until_one_is_closed),
        cmocka_unit_test(a_plan_is_taken_once),
        cmocka_unit_test(a_plan_is_given_back_once),
    };
    return cmocka_run_group_tests_name("jsonrpc/handles", tests, NULL, NULL);
}
