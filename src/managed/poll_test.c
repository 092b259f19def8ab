#include "managed/poll.h"

#include "base/clock.h"
#include "base/random.h"
#include "base/testing.h"
#include "managed/object.h"

static const struct json *annotated(struct arena *a, const char *key, const struct json *value)
{
    const struct json *o = testing_jsonz(a, "{}");
    return value && value->kind == JSON_STRING ? managed_annotate(a, o, key, value->text) : o;
}

static struct managed_poll poll_of(const struct json *c)
{
    return (struct managed_poll){.interval_ns = json_int(json_get(c, "poll_interval_s"), 60) * NS_PER_S,
                                 .min_ns = json_int(json_get(c, "min_poll_interval_s"), 1) * NS_PER_S};
}

static void check_request(struct arena *a, const struct json *c)
{
    const struct json *o = annotated(a, MANAGED_RECONCILE_REQUESTED, json_get(c, "annotation"));
    const struct json *last = json_get(c, "last_handled"), *expect = json_get(c, "expect");
    if (last->kind == JSON_STRING)
        o = managed_put(a, o, last, "status", "lastHandledReconcileAt", NULL);
    assert_true(managed_reconcile_requested(o));
    const struct json *handled = managed_reconcile_handled(a, o);
    testing_text(managed_text(managed_at(handled, "status", "lastHandledReconcileAt", NULL)),
                 testing_member(expect, "status_lastHandledReconcileAt").p);
    assert_false(managed_reconcile_requested(handled));
    assert_ptr_equal(managed_reconcile_handled(a, handled), handled);
    struct managed_poll p = poll_of(c);
    assert_int_equal(managed_poll_after(&p, handled, 0), json_int(json_get(expect, "requeue_after_s"), 0) * NS_PER_S);
}

static void check_fact(struct arena *a, const struct json *c)
{
    struct str operation = testing_member(c, "operation");
    const struct json *o = annotated(a, MANAGED_POLL_INTERVAL, json_get(c, "annotation"));
    const struct json *expect = json_get(c, "expect");
    struct managed_poll p = poll_of(c);
    int64_t seconds = json_int(json_get(expect, "seconds"), -1);
    if (str_eqz(operation, "effective_poll_interval")) {
        assert_int_equal(managed_poll_interval(&p, o), seconds * NS_PER_S);
    } else if (str_eqz(operation, "requeue_after_up_to_date")) {
        int64_t tolerance = json_int(json_get(expect, "tolerance_s"), 0) * NS_PER_S;
        p.jitter_ns = tolerance;
        int64_t after = managed_poll_after(&p, o, 12345);
        assert_in_range(after, seconds * NS_PER_S - tolerance, seconds * NS_PER_S + tolerance);
    } else if (str_eqz(operation, "reconcile_request")) {
        check_request(a, c);
    } else {
        fail_msg("unknown operation " STR_FMT, STR_ARG(operation));
    }
}

static void facts_hold(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *cases = testing_facts(a, "crossplane", "poll.json");
    assert_true(cases->array.n >= 8);
    for (size_t i = 0; i < cases->array.n; i++)
        check_fact(a, cases->array.items[i]);
}

/* Jitter covers its range and stays inside it; intervals never become negative, and huge ones do not overflow. */
static void jitter(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct json *o = testing_jsonz(a, "{}");
    struct managed_poll p = {.interval_ns = 10, .min_ns = 1, .jitter_ns = 2};
    unsigned seen = 0;
    for (uint64_t i = 0, random = 1; i < 100; i++) {
        int64_t after = managed_poll_after(&p, o, random_next(&random));
        assert_in_range(after, 8, 12);
        seen |= 1U << (after - 8);
    }
    assert_int_equal(seen, 31);
    p.interval_ns = 1;
    assert_int_equal(managed_poll_after(&p, o, 0), 0);
    p.interval_ns = INT64_MAX;
    assert_int_equal(managed_poll_after(&p, o, 4), INT64_MAX);
    p.jitter_ns = 0;
    assert_int_equal(managed_poll_after(&p, o, 4), INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(facts_hold),
        cmocka_unit_test(jitter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
