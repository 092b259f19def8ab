/*
 * The pool when things go wrong: providers that end, hang or do not start; users whose deadline passes or who cancel a call.
 */
#include "engine/pool_private.h"
#include "engine/testing_pool.h"

#include <stdio.h>
#include <sys/stat.h>

#define CONFIG "{\"region\": \"x\"}"

static void must_say_to(const struct user *u, const char *what)
{
    for (size_t i = 0; i < u->diags.n; i++)
        if (strstr(u->diags.v[i].detail.p, what))
            return;
    fail_msg("\"%s\" was not said: %s", what, u->diags.n > 0 ? u->diags.v[0].detail.p : "nothing was");
}

static struct user user_of(struct stage *s, struct pool_provider *w, int n_reads)
{
    return (struct user){.stage = s, .opened = w, .n_reads = n_reads};
}

/* ---- seeing that something has happened ---- */

struct seen {
    struct stage *stage;
    const struct line *line; /* wait until this line has `n` waiters */
    int rule;                /* or until this rule of the script has counted `n` calls */
    size_t n;
};

static size_t waiting(struct pool *pool, const struct line *line)
{
    size_t n = 0;
    pool_lock(pool);
    for (const struct waiter *w = line->first; w; w = w->next)
        n++;
    pool_unlock(pool);
    return n;
}

static bool has_happened(const struct seen *e)
{
    struct stat st;
    char path[300];
    if (e->line)
        return waiting(e->stage->pool, e->line) == e->n;
    (void)snprintf(path, sizeof path, "%s/cloud/.count-%d", e->stage->folder, e->rule);
    return stat(path, &st) == 0 && (size_t)st.st_size >= e->n;
}

static void await(const struct seen e)
{
    int64_t deadline = clock_now(&system_clock) + PATIENT;
    while (!has_happened(&e)) {
        if (clock_now(&system_clock) > deadline)
            fail_msg("it never happened");
        nap_ms(1);
    }
}

static void await_line(struct stage *s, const struct line *line, size_t n)
{
    await((struct seen){.stage = s, .line = line, .n = n});
}

/* Of scripts that say `counts: cloud`. */
static void await_calls(struct stage *s, int rule, size_t n)
{
    await((struct seen){.stage = s, .rule = rule, .n = n});
}

/* ---- ends ---- */

static void a_crash_while_it_is_configured_fails_the_opening(void **state)
{
    (void)state;
    struct stage s;
    struct pool_provider *w;
    stage_begin(&s, "counts: cloud\nrules:\n  - match: {rpc: ConfigureProvider, nth: 1}\n    do: {crash: panic}\n",
                (struct pool_options){0});
    assert_int_equal(try_open(&s, CONFIG, &w), ENGINE_LOST);
    assert_null(w);
    must_say(&s, "Provider crashed");
    must_say(&s, "was working on ConfigureProvider when it exited with status 2");
    must_say(&s, "panic: runtime error");
    assert_int_equal(pool_count(s.pool).providers, 0);
    assert_int_equal(pool_count(s.pool).lost, 1);
    await_processes(&s, 0);
    w = must_open(&s, CONFIG);
    assert_int_equal(pool_count(s.pool).started, 2);
    stage_end(&s);
}

static void a_lost_process_is_replaced_by_the_next_borrow(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, "counts: cloud\nrules:\n  - match: {rpc: ReadResource, nth: 1}\n    do: {crash: kill}\n",
                (struct pool_options){0});
    struct pool_provider *w = must_open(&s, CONFIG);
    struct lease lease = must_borrow(&s, w), other = must_borrow(&s, w);
    assert_int_equal(read_thing(lease.provider, lease.schema, NULL, &s.diags), PROVIDER_GONE);
    must_say(&s, "was killed by signal 9");
    struct lease next = must_borrow(&s, w); /* while the dead one's leases are still out */
    assert_int_equal(pool_count(s.pool).started, 2);
    assert_int_equal(pool_count(s.pool).lost, 1);
    assert_int_equal(read_thing(next.provider, next.schema, NULL, &s.diags), PROVIDER_OK);
    assert_int_equal(read_thing(other.provider, other.schema, NULL, &s.diags), PROVIDER_GONE);
    lease_return(&lease);
    lease_return(&other);
    await_processes(&s, 1);
    assert_int_equal(pool_count(s.pool).lost, 1);
    lease_return(&next);
    stage_end(&s);
}

static void ends_that_follow_each_other_make_the_pause_grow(void **state)
{
    (void)state;
    enum { FIRST_MS = 100 };
    struct stage s;
    stage_begin(&s, "rules:\n  - match: {rpc: ReadResource}\n    do: {crash: exit}\n", (struct pool_options){0});
    struct pool_provider *w = must_open(&s, CONFIG);
    static const int pauses[] = {0, 0, FIRST_MS, 2 * FIRST_MS}; /* before the borrow */
    int64_t end = clock_now(&system_clock);
    for (size_t i = 0; i < sizeof pauses / sizeof pauses[0]; i++) {
        struct lease lease = must_borrow(&s, w);
        assert_true(clock_now(&system_clock) - end >= pauses[i] * NS_PER_MS);
        assert_int_equal(read_thing(lease.provider, lease.schema, NULL, &s.diags), PROVIDER_GONE);
        end = clock_now(&system_clock);
        lease_return(&lease);
    }
    assert_int_equal(pool_count(s.pool).lost, 4);
    assert_int_equal(pool_count(s.pool).started, 4);
    stage_end(&s);
}

static void who_waits_for_the_end_of_a_pause_can_give_up(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){0});
    struct pool_provider *w = must_open(&s, CONFIG);
    pool_provider_replace(w);
    pool_lock(s.pool);
    w->backoff.until = clock_now(&system_clock) + 2 * PATIENT;
    pool_unlock(s.pool);
    struct lease none;
    const pool_wait hasty = {.deadline = clock_now(&system_clock) + 20 * NS_PER_MS};
    assert_int_equal(pool_provider_borrow(w, &hasty, &s.diags, &none), ENGINE_LOST);
    must_say(&s, "was not ready for another call in time");
    struct user first = user_of(&s, w, 0), second = first;
    user_start(&first);
    user_start(&second);
    await_line(&s, &w->line, 1);
    cancel_fire(first.cancel);
    user_join(&first);
    cancel_fire(second.cancel); /* which has the turn to start by now */
    user_join(&second);
    assert_int_equal(first.status, ENGINE_CANCELLED);
    assert_int_equal(second.status, ENGINE_CANCELLED);
    user_end(&first);
    user_end(&second);
    assert_int_equal(pool_count(s.pool).started, 1);
    stage_end(&s);
}

static void the_pause_is_bounded_and_forgiven(void **state)
{
    (void)state;
    struct backoff b = {0};
    static const int64_t expect[] = {0, 100, 200, 400, 800, 1600, 3200, 6400, 12800, 25600, 30000, 30000, 30000};
    for (size_t i = 0; i < sizeof expect / sizeof expect[0]; i++) {
        backoff_add(&b, 1000, 0);
        assert_int_equal(b.until, 1000 + expect[i] * NS_PER_MS);
    }
    backoff_add(&b, 0, POOL_STEADY_NS - 1);
    assert_int_equal(b.until, POOL_BACKOFF_MAX_NS);
    backoff_add(&b, 0, POOL_STEADY_NS);
    assert_int_equal(b.until, 0);
    backoff_add(&b, 0, NS_PER_S);
    assert_int_equal(b.until, POOL_BACKOFF_FIRST_NS);
    b.ends = UINT32_MAX - 1;
    backoff_add(&b, 0, 0);
    assert_int_equal(b.until, POOL_BACKOFF_MAX_NS);
}

static void a_binary_that_does_not_start_fails_everybody_in_line(void **state)
{
    (void)state;
    enum { N = 4 };
    struct stage s;
    struct user u[N];
    stage_begin(&s, "handshake: exit\n", (struct pool_options){0});
    for (int i = 0; i < N; i++) {
        u[i] = (struct user){.stage = &s, .config = CONFIG};
        user_start(&u[i]);
    }
    for (int i = 0; i < N; i++) {
        user_join(&u[i]);
        assert_int_equal(u[i].status, ENGINE_LOST);
        must_say_to(&u[i], "exited with status 3 before its handshake");
        assert_int_equal(u[i].diags.n, 1);
        user_end(&u[i]);
    }
    assert_int_equal(pool_count(s.pool).started, 0);
    assert_int_equal(pool_count(s.pool).providers, 0);
    s.source.path = STR("/no/such/provider");
    struct pool_provider *w;
    assert_int_equal(try_open(&s, CONFIG, &w), ENGINE_LOST);
    must_say(&s, "no such file");
    assert_int_equal(try_open(&s, CONFIG, &w), ENGINE_LOST);
    stage_end(&s);
}

static void a_schema_that_cannot_be_read_is_no_reason_to_try_again(void **state)
{
    (void)state;
    struct stage s;
    struct pool_provider *w;
    stage_begin(&s, "counts: cloud\nrules:\n  - match: {rpc: GetProviderSchema, nth: 1}\n    do: {answer: garbage}\n",
                (struct pool_options){0});
    assert_int_equal(try_open(&s, CONFIG, &w), ENGINE_FAILED);
    must_say(&s, "a schema that cannot be read");
    await_processes(&s, 0);
    assert_int_equal(pool_count(s.pool).lost, 0);
    (void)must_open(&s, CONFIG); /* another configuration may */
    stage_end(&s);
}

static void a_provider_may_refuse_its_configuration_later(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s,
                "counts: cloud\nrules:\n  - match: {rpc: ConfigureProvider, nth: 2}\n"
                "    do: {diagnostics: [{severity: error, summary: Expired, detail: d, attribute: region}]}\n",
                (struct pool_options){0});
    struct pool_provider *w = must_open(&s, CONFIG);
    pool_provider_replace(w);
    struct lease lease;
    assert_int_equal(pool_provider_borrow(w, NULL, &s.diags, &lease), ENGINE_FAILED);
    must_say(&s, "Expired");
    assert_int_equal(pool_count(s.pool).providers, 1); /* the handle stays valid */
    lease = must_borrow(&s, w);
    lease_return(&lease);
    stage_end(&s);
}

/* ---- patience ---- */

static void who_waits_for_a_slot_can_give_up(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){.max_calls = 1});
    struct pool_provider *w = must_open(&s, CONFIG);
    struct lease lease = must_borrow(&s, w);
    struct user cancelled = user_of(&s, w, 0), late = user_of(&s, w, 0), last = user_of(&s, w, 1);
    user_start(&cancelled);
    await_line(&s, &w->line, 1);
    late.deadline = clock_now(&system_clock) + 50 * NS_PER_MS;
    user_start(&late);
    user_join(&late);
    assert_int_equal(late.status, ENGINE_LOST);
    must_say_to(&late, "was not ready for another call in time");
    user_start(&last);
    await_line(&s, &w->line, 2);
    cancel_fire(cancelled.cancel);
    user_join(&cancelled);
    assert_int_equal(cancelled.status, ENGINE_CANCELLED);
    must_say_to(&cancelled, "was cancelled");
    lease_return(&lease);
    user_join(&last); /* waiters that gave up do not delay the next one */
    assert_int_equal(last.status, ENGINE_OK);
    assert_int_equal(last.answered, PROVIDER_OK);
    user_end(&cancelled);
    user_end(&late);
    user_end(&last);
    assert_int_equal(pool_count(s.pool).leases, 0);
    stage_end(&s);
}

static bool is_loading(struct pool *pool)
{
    pool_lock(pool);
    bool loading = pool->binaries && pool->binaries->loading;
    pool_unlock(pool);
    return loading;
}

static void who_waits_for_a_start_can_give_up(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, "handshake: silence\n", (struct pool_options){0});
    struct user first = {.stage = &s, .config = CONFIG}, second = first;
    user_start(&first);
    while (!is_loading(s.pool))
        nap_ms(1);
    user_start(&second);
    await_line(&s, &s.pool->binaries->line, 1);
    cancel_fire(second.cancel);
    user_join(&second);
    assert_int_equal(second.status, ENGINE_CANCELLED);
    must_say_to(&second, "was cancelled");
    cancel_fire(first.cancel);
    user_join(&first);
    assert_int_equal(first.status, ENGINE_CANCELLED);
    must_say_to(&first, "the start was cancelled");
    user_end(&first);
    user_end(&second);
    struct pool_provider *w = NULL;
    const pool_wait hasty = {.deadline = clock_now(&system_clock) + 100 * NS_PER_MS};
    assert_int_equal(pool_open(s.pool, &s.source, NULL, &hasty, &s.diags, &w), ENGINE_LOST);
    assert_null(w);
    stage_end(&s);
}

static void the_next_in_line_starts_when_the_first_gives_up(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, "counts: cloud\nrules:\n  - match: {rpc: ConfigureProvider, nth: 2}\n    do: {answer: hang}\n",
                (struct pool_options){0});
    struct pool_provider *w = must_open(&s, CONFIG);
    pool_provider_replace(w);
    struct user first = user_of(&s, w, 0), second = user_of(&s, w, 1), third = user_of(&s, w, 1);
    user_start(&first);
    await_calls(&s, 0, 2); /* it hangs while it is configured */
    user_start(&second);
    user_start(&third);
    await_line(&s, &w->line, 2);
    cancel_fire(first.cancel);
    user_join(&first);
    user_join(&second);
    user_join(&third);
    assert_int_equal(first.status, ENGINE_CANCELLED);
    assert_int_equal(second.status, ENGINE_OK);
    assert_int_equal(third.status, ENGINE_OK);
    assert_int_equal(third.answered, PROVIDER_OK);
    assert_int_equal(pool_count(s.pool).started, 3);
    await_processes(&s, 1);
    user_end(&first);
    user_end(&second);
    user_end(&third);
    stage_end(&s);
}

static void those_who_wait_for_a_start_share_its_failure(void **state)
{
    (void)state;
    enum { N = 3 };
    struct stage s;
    struct user u[N];
    stage_begin(&s,
                "counts: cloud\nrules:\n  - match: {rpc: ConfigureProvider, nth: 2}\n    do: {latency_ms: 2000, crash: kill}\n",
                (struct pool_options){0});
    struct pool_provider *w = must_open(&s, CONFIG);
    pool_provider_replace(w);
    for (int i = 0; i < N; i++) {
        u[i] = user_of(&s, w, 1);
        user_start(&u[i]);
        if (i == 0)
            await_calls(&s, 0, 2);
        else
            await_line(&s, &w->line, (size_t)i);
    }
    for (int i = 0; i < N; i++) {
        user_join(&u[i]);
        assert_int_equal(u[i].status, ENGINE_LOST);
        assert_int_equal(u[i].diags.n, 1);
        must_say_to(&u[i], "was working on ConfigureProvider when it was killed by signal 9");
        user_end(&u[i]);
    }
    assert_int_equal(pool_count(s.pool).started, 2);
    assert_int_equal(pool_count(s.pool).lost, 1);
    struct lease lease = must_borrow(&s, w);
    lease_return(&lease);
    stage_end(&s);
}

static void a_start_that_was_overtaken_serves_nobody_else(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, "rules:\n  - match: {rpc: ConfigureProvider, nth: 1}\n    do: {latency_ms: 300}\n", (struct pool_options){0});
    struct pool_provider *w = must_open(&s, CONFIG);
    pool_provider_replace(w);
    struct user u = user_of(&s, w, 1);
    user_start(&u);
    while (pool_count(s.pool).started < 2)
        nap_ms(1);
    pool_provider_replace(w); /* the start that is under way is of the old binary */
    struct lease lease = must_borrow(&s, w);
    assert_int_equal(pool_count(s.pool).started, 3);
    user_join(&u);
    assert_int_equal(u.status, ENGINE_OK);
    assert_int_equal(u.answered, PROVIDER_OK);
    lease_return(&lease);
    await_processes(&s, 1);
    user_end(&u);
    stage_end(&s);
}

/* ---- stopping ---- */

#define HANGS_UNTIL_STOPPED                                                                                                      \
    "counts: cloud\n"                                                                                                            \
    "rules:\n"                                                                                                                   \
    "  - match: {rpc: ReadResource, nth: 1}\n"                                                                                   \
    "    do: {answer: hang}\n"                                                                                                   \
    "  - match: {rpc: StopProvider}\n"                                                                                           \
    "    do: {crash: exit, exit_status: 5}\n"

struct stopper {
    struct stage *stage;
    struct lease *lease;
    enum provider_status answered;
};

static void *read_until_stopped(void *arg)
{
    struct stopper *t = arg;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    t->answered = read_thing(t->lease->provider, t->lease->schema, NULL, &diags);
    return NULL;
}

static void a_call_that_does_not_end_is_stopped_after_its_grace(void **state)
{
    (void)state;
    struct stage s;
    pthread_t thread;
    stage_begin(&s, HANGS_UNTIL_STOPPED, (struct pool_options){0});
    struct pool_provider *w = must_open(&s, CONFIG);
    struct lease lease = must_borrow(&s, w);
    struct stopper t = {.stage = &s, .lease = &lease};
    assert_int_equal(pthread_create(&thread, NULL, read_until_stopped, &t), 0);
    await_calls(&s, 0, 1);
    int64_t from = clock_now(&system_clock);
    lease_stop(&lease, 10 * NS_PER_S);
    lease_stop(&lease, 200 * NS_PER_MS); /* less patience from now on */
    lease_stop(&lease, 20 * NS_PER_S);
    struct lease next = must_borrow(&s, w);
    assert_ptr_not_equal(next.provider, lease.provider);
    assert_int_equal(pool_count(s.pool).started, 2);
    (void)pthread_join(thread, NULL);
    assert_true(clock_now(&system_clock) - from >= 200 * NS_PER_MS);
    assert_int_equal(t.answered, PROVIDER_GONE); /* which is how this provider stops */
    lease_stop(&lease, 0);                       /* too late, and harmless */
    lease_return(&lease);
    await_processes(&s, 1);
    lease_return(&next);
    stage_end(&s);
}

/*
 * A call that was sent before StopProvider may reach plugin-go after it, and is then not stopped: because of this, Ctrl-C right
 * before an apply used to hang.
 */
static void a_provider_that_has_forgotten_is_told_again(void **state)
{
    (void)state;
    struct stage s;
    pthread_t thread;
    stage_begin(&s,
                "counts: cloud\nrules:\n"
                "  - match: {rpc: ReadResource, nth: 1}\n    do: {answer: hang}\n"
                "  - match: {rpc: StopProvider, nth: 2}\n    do: {crash: exit, exit_status: 5}\n",
                (struct pool_options){0});
    struct pool_provider *w = must_open(&s, CONFIG);
    struct lease lease = must_borrow(&s, w);
    struct stopper t = {.stage = &s, .lease = &lease};
    assert_int_equal(pthread_create(&thread, NULL, read_until_stopped, &t), 0);
    await_calls(&s, 0, 1);
    lease_stop(&lease, 0);
    (void)pthread_join(thread, NULL);
    assert_int_equal(t.answered, PROVIDER_GONE);
    lease_return(&lease);
    await_processes(&s, 0);
    stage_end(&s);
}

static void a_call_that_returns_in_time_leaves_the_process_as_it_was(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){0});
    struct pool_provider *w = must_open(&s, CONFIG);
    struct lease lease = must_borrow(&s, w), other = must_borrow(&s, w);
    struct pool_process *p = lease.slot->process;
    lease_stop(&lease, PATIENT);
    lease_stop(&other, PATIENT);
    assert_int_equal(p->state, PROCESS_PAUSED);
    lease_return(&lease);
    assert_int_equal(p->state, PROCESS_PAUSED);
    lease_return(&other);
    assert_int_equal(p->state, PROCESS_LENDING);
    lease = must_borrow(&s, w);
    assert_ptr_equal(lease.slot->process, p);
    assert_int_equal(lease.slot->stop_at, NO_DEADLINE);
    assert_int_equal(p->n_stops, 0);
    lease_return(&lease);
    assert_int_equal(pool_count(s.pool).started, 1);
    stage_end(&s);
}

static void who_waits_for_a_slot_does_not_wait_for_a_call_to_be_stopped(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, NULL, (struct pool_options){.max_calls = 1});
    struct pool_provider *w = must_open(&s, CONFIG);
    struct lease lease = must_borrow(&s, w);
    struct user u = user_of(&s, w, 1);
    user_start(&u);
    await_line(&s, &w->line, 1);
    lease_stop(&lease, PATIENT);
    user_join(&u);
    assert_int_equal(u.status, ENGINE_OK);
    assert_int_equal(u.answered, PROVIDER_OK);
    assert_int_equal(pool_count(s.pool).started, 2);
    lease_return(&lease);
    await_processes(&s, 1);
    user_end(&u);
    stage_end(&s);
}

static void a_provider_that_is_deaf_to_stop_is_still_ended(void **state)
{
    (void)state;
    struct stage s;
    stage_begin(&s, "counts: cloud\nrules:\n  - match: {rpc: StopProvider}\n    do: {answer: hang}\n", (struct pool_options){0});
    struct pool_provider *w = must_open(&s, CONFIG);
    struct lease lease = must_borrow(&s, w);
    lease_stop(&lease, 0);
    await_calls(&s, 0, 1);
    lease_return(&lease); /* StopProvider is still under way */
    await_processes(&s, 0);
    stage_end(&s);
}

/* ---- all at once ---- */

static void many_users_outlive_a_provider_that_keeps_dying(void **state)
{
    (void)state;
    enum { N = 16, ROUNDS = 12 };
    struct stage s;
    struct user u[N];
    stage_begin(&s, "rules:\n  - match: {rpc: ReadResource, nth: 40}\n    do: {crash: kill}\n",
                (struct pool_options){.max_calls = 8, .idle_ns = 5 * NS_PER_MS});
    struct pool_provider *w = must_open(&s, CONFIG);
    for (int i = 0; i < N; i++)
        u[i] = user_of(&s, w, 0);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < N; i++) {
            u[i].n_reads = ROUNDS;
            user_start(&u[i]);
        }
        pool_provider_replace(w);
        for (int i = 0; i < N; i++) {
            user_join(&u[i]);
            assert_int_equal(u[i].status, ENGINE_OK);
            assert_true(u[i].answered == PROVIDER_OK || u[i].answered == PROVIDER_GONE);
            user_end(&u[i]);
        }
    }
    assert_int_equal(pool_count(s.pool).leases, 0);
    struct lease lease = must_borrow(&s, w);
    lease_return(&lease);
    stage_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_crash_while_it_is_configured_fails_the_opening),
        cmocka_unit_test(a_lost_process_is_replaced_by_the_next_borrow),
        cmocka_unit_test(ends_that_follow_each_other_make_the_pause_grow),
        cmocka_unit_test(the_pause_is_bounded_and_forgiven),
        cmocka_unit_test(who_waits_for_the_end_of_a_pause_can_give_up),
        cmocka_unit_test(a_binary_that_does_not_start_fails_everybody_in_line),
        cmocka_unit_test(a_schema_that_cannot_be_read_is_no_reason_to_try_again),
        cmocka_unit_test(a_provider_may_refuse_its_configuration_later),
        cmocka_unit_test(who_waits_for_a_slot_can_give_up),
        cmocka_unit_test(who_waits_for_a_start_can_give_up),
        cmocka_unit_test(the_next_in_line_starts_when_the_first_gives_up),
        cmocka_unit_test(those_who_wait_for_a_start_share_its_failure),
        cmocka_unit_test(a_start_that_was_overtaken_serves_nobody_else),
        cmocka_unit_test(a_call_that_does_not_end_is_stopped_after_its_grace),
        cmocka_unit_test(a_provider_that_has_forgotten_is_told_again),
        cmocka_unit_test(a_call_that_returns_in_time_leaves_the_process_as_it_was),
        cmocka_unit_test(who_waits_for_a_slot_does_not_wait_for_a_call_to_be_stopped),
        cmocka_unit_test(a_provider_that_is_deaf_to_stop_is_still_ended),
        cmocka_unit_test(many_users_outlive_a_provider_that_keeps_dying),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
