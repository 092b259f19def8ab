#include "reconcile/queue.h"

#include "base/random.h"
#include "base/testing.h"
#include "base/testing_table.h"

#include <pthread.h>
#include <stdatomic.h>

/*
 * The rules are scripts (testdata/queue.tsv): commands separated by "; ". KEY is KEY or KEY@CONFIG, P a priority (c, r, p).
 *
 *     add KEY P | after KEY MS P | retry KEY | forget KEY | done KEY | tick MS | ok CONFIG | bad CONFIG WHY | fixed CONFIG
 *     take KEY | held KEY | none | closed what must come out
 *     waits CONFIG TEXT | free CONFIG     what its breaker says
 *     counts READY DELAYED HELD WORKING KNOWN
 *     drain | stop
 */

struct script {
    struct arena *arena;
    struct fake_clock clock;
    struct queue *queue;
    const struct table_row *row;
};

static struct str word(struct str *rest)
{
    return str_cut(rest, ' ');
}

static int64_t number(struct str *rest)
{
    int64_t n = 0;
    struct str text = word(rest);
    if (!str_to_i64(text, &n))
        fail_msg("\"" STR_FMT "\" is not a number", STR_ARG(text));
    return n;
}

static enum queue_priority priority(struct str *rest)
{
    struct str text = word(rest);
    return str_eqz(text, "p") ? QUEUE_POLL : str_eqz(text, "r") ? QUEUE_RETRY : QUEUE_CHANGE;
}

static void expect_take(struct script *s, enum queue_taken expected, struct str key, struct str command)
{
    struct queue_item item = {0};
    enum queue_taken taken = queue_take(s->queue, 1, &item);
    bool has_key = taken == QUEUE_TAKEN || taken == QUEUE_HELD;
    if (taken != expected || (has_key && !str_eq(item.key, key)))
        fail_msg("line %zu, \"" STR_FMT "\": got %d \"" STR_FMT "\"", s->row->line, STR_ARG(command), (int)taken,
                 STR_ARG(has_key ? item.key : STR_EMPTY));
}

static void expect_waits(struct script *s, struct str config, struct str text)
{
    struct str said =
        queue_waits_for(s->arena, s->queue, config, arena_printf(s->arena, "ProviderConfig \"" STR_FMT "\"", STR_ARG(config)));
    if (text.n == 0 ? said.n > 0 : !strstr(said.p, arena_str(s->arena, text).p))
        fail_msg("line %zu: it says \"" STR_FMT "\"", s->row->line, STR_ARG(said));
}

static void expect_counts(struct script *s, struct str rest, struct str command)
{
    struct queue_counts got = queue_counts(s->queue);
    size_t ready = got.ready[0] + got.ready[1] + got.ready[2];
    const size_t have[] = {ready, got.delayed, got.held, got.working, got.known};
    for (size_t i = 0; i < sizeof have / sizeof have[0]; i++)
        if ((int64_t)have[i] != number(&rest))
            fail_msg("line %zu, \"" STR_FMT "\": count %zu is %zu", s->row->line, STR_ARG(command), i, have[i]);
}

static void do_command(struct script *s, struct str command)
{
    struct str rest = command, verb = word(&rest), config = rest;
    struct queue *q = s->queue;
    if (str_eqz(verb, "none") || str_eqz(verb, "closed")) {
        expect_take(s, str_eqz(verb, "none") ? QUEUE_TIMEOUT : QUEUE_CLOSED, STR_EMPTY, command);
    } else if (str_eqz(verb, "drain") || str_eqz(verb, "stop")) {
        queue_shut_down(q, str_eqz(verb, "drain"));
    } else if (str_eqz(verb, "tick")) {
        fake_clock_advance(&s->clock, number(&rest) * NS_PER_MS);
    } else if (str_eqz(verb, "counts")) {
        expect_counts(s, rest, command);
    } else if (str_eqz(verb, "ok")) {
        queue_report(q, config, STR_EMPTY);
    } else if (str_eqz(verb, "fixed")) {
        queue_config_changed(q, config);
    } else if (str_eqz(verb, "bad") || str_eqz(verb, "waits") || str_eqz(verb, "free")) {
        config = word(&rest);
        if (str_eqz(verb, "bad"))
            queue_report(q, config, rest);
        else
            expect_waits(s, config, rest);
    } else {
        config = word(&rest);
        struct str key = str_cut(&config, '@');
        if (str_eqz(verb, "add"))
            queue_add(q, key, config, priority(&rest));
        else if (str_eqz(verb, "after")) {
            int64_t delay = number(&rest) * NS_PER_MS;
            queue_add_after(q, key, config, priority(&rest), delay);
        } else if (str_eqz(verb, "retry"))
            queue_retry(q, key, config);
        else if (str_eqz(verb, "forget"))
            queue_forget(q, key);
        else if (str_eqz(verb, "done"))
            queue_done(q, key);
        else if (str_eqz(verb, "take") || str_eqz(verb, "held"))
            expect_take(s, str_eqz(verb, "take") ? QUEUE_TAKEN : QUEUE_HELD, key, command);
        else
            fail_msg("line %zu: \"" STR_FMT "\" is not a command", s->row->line, STR_ARG(command));
    }
}

static void run_script(struct arena *a, const struct table_row *row)
{
    struct script s = {.arena = a, .row = row};
    fake_clock_init(&s.clock, 0);
    struct queue_options options = QUEUE_DEFAULTS;
    options.clock = &s.clock.clock;
    options.rate = 0;
    options.breaker_failures = 3;
    assert_int_equal(row->n, 3);
    if (row->field[1].n > 1) {
        struct str limits = row->field[1];
        options.rate = (unsigned)number(&limits);
        options.burst = (unsigned)number(&limits);
    }
    s.queue = queue_new(&options);
    for (struct str script = row->field[2]; script.n > 0;)
        do_command(&s, str_trim(str_cut(&script, ';')));
    queue_free(s.queue);
}

static void test_rules(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct table table = table_load(a, TERRANE_SOURCE "/src/reconcile/testdata/queue.tsv");
    for (size_t i = 0; i < table.n; i++)
        run_script(a, &table.v[i]);
}

/* 1, 2, 4 ... 60 s, and 1 again after queue_forget(). */
static void test_backoff(void **state)
{
    (void)state;
    struct fake_clock clock;
    fake_clock_init(&clock, 0);
    struct queue_options options = QUEUE_DEFAULTS;
    options.clock = &clock.clock;
    struct queue *q = queue_new(&options);
    static const int seconds[] = {1, 2, 4, 8, 16, 32, 60, 60, 60};
    struct queue_item item;
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof seconds / sizeof seconds[0]; i++) {
            queue_retry(q, STR("a"), STR_EMPTY);
            fake_clock_advance(&clock, seconds[i] * NS_PER_S - 1);
            assert_int_equal(queue_take(q, 1, &item), QUEUE_TIMEOUT);
            fake_clock_advance(&clock, 1);
            assert_int_equal(queue_take(q, 1, &item), QUEUE_TAKEN);
            assert_int_equal(item.failures, i + 1);
            assert_int_equal(item.priority, QUEUE_RETRY);
            queue_done(q, item.key);
        }
        queue_forget(q, STR("a"));
        assert_int_equal(queue_counts(q).known, 0);
    }
    queue_free(q);
}

/* Under a flood of changes every eighth pass is a poll; a flood of polls delays a change by one pass. */
static void test_shares(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct queue_options options = QUEUE_DEFAULTS;
    struct queue *q = queue_new(&options);
    size_t taken[QUEUE_PRIORITIES] = {0};
    for (int i = 0; i < 800; i++)
        for (unsigned p = 0; p < QUEUE_PRIORITIES; p++)
            queue_add(q, arena_printf(a, "%u-%d", p, i), STR_EMPTY, (enum queue_priority)p);
    for (int i = 0; i < 800; i++) {
        struct queue_item item;
        assert_int_equal(queue_take(q, 1, &item), QUEUE_TAKEN);
        taken[item.priority]++;
        queue_done(q, item.key);
    }
    assert_int_equal(taken[QUEUE_CHANGE], 500);
    assert_int_equal(taken[QUEUE_RETRY], 200);
    assert_int_equal(taken[QUEUE_POLL], 100);
    queue_free(q);
}

static void test_jitter(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct fake_clock clock;
    fake_clock_init(&clock, 0);
    struct queue_options options = QUEUE_DEFAULTS;
    options.clock = &clock.clock;
    struct queue *q = queue_new(&options);
    for (int i = 0; i < 1000; i++)
        queue_add_poll(q, arena_printf(a, "%d", i), STR_EMPTY, 60 * NS_PER_S, 10 * NS_PER_S);
    size_t in_second[80] = {0}, most = 0;
    struct queue_item item;
    for (size_t second = 0; second < 80; second++, fake_clock_advance(&clock, NS_PER_S))
        while (queue_take(q, 1, &item) == QUEUE_TAKEN) {
            in_second[second]++;
            queue_done(q, item.key);
        }
    size_t all = 0;
    for (size_t second = 0; second < 80; second++) {
        assert_true(in_second[second] == 0 || (second >= 50 && second <= 70));
        most = in_second[second] > most ? in_second[second] : most;
        all += in_second[second];
    }
    assert_int_equal(all, 1000);
    assert_true(most < 120); /* not all at once */
    queue_free(q);
}

/* The heap and the tables under load: everything added comes out once, in order of time. */
static void test_many(void **state)
{
    (void)state;
    enum { MANY = 100000 };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct fake_clock clock;
    fake_clock_init(&clock, 0);
    struct queue_options options = QUEUE_DEFAULTS;
    options.clock = &clock.clock;
    options.rate = 0;
    struct queue *q = queue_new(&options);
    uint64_t random = 7;
    for (int i = 0; i < MANY; i++)
        queue_add_after(q, arena_printf(a, "%d", i), STR("c"), QUEUE_POLL,
                        (int64_t)(random_next(&random) % 1000 + 1) * NS_PER_MS);
    for (int i = 0; i < MANY; i += 2) /* some become due earlier */
        queue_add_after(q, arena_printf(a, "%d", i), STR("c"), QUEUE_CHANGE, NS_PER_MS);
    assert_int_equal(queue_counts(q).delayed, MANY);
    size_t n = 0, at_first = 0;
    struct queue_item item;
    for (int ms = 0; ms <= 1000; ms++, fake_clock_advance(&clock, NS_PER_MS))
        while (queue_take(q, 1, &item) == QUEUE_TAKEN) {
            n++;
            at_first += ms == 1;
            queue_done(q, item.key);
        }
    assert_int_equal(n, MANY);
    assert_true(at_first >= MANY / 2);
    assert_int_equal(queue_counts(q).known, 0);
    queue_free(q);
}

/* --- threads --- */

enum { WORKERS = 8, OBJECTS = 50, ROUNDS = 200 };

struct crowd {
    struct queue *queue;
    atomic_int working[OBJECTS], passes[OBJECTS];
    atomic_int twice;
};

static void *crowd_work(void *arg)
{
    struct crowd *c = arg;
    struct queue_item item;
    enum queue_taken taken;
    while ((taken = queue_take(c->queue, NO_DEADLINE, &item)) != QUEUE_CLOSED) {
        int64_t i = 0;
        if (taken == QUEUE_HELD) {
            queue_done(c->queue, item.key);
            continue;
        }
        (void)str_to_i64(item.key, &i);
        if (atomic_fetch_add(&c->working[i], 1) != 0)
            atomic_fetch_add(&c->twice, 1);
        if (atomic_fetch_add(&c->passes[i], 1) % 3 == 0)
            queue_retry(c->queue, item.key, item.config);
        else
            queue_forget(c->queue, item.key);
        queue_report(c->queue, item.config, i % 7 == 0 ? STR("no") : STR_EMPTY);
        atomic_fetch_sub(&c->working[i], 1);
        queue_done(c->queue, item.key);
    }
    return NULL;
}

/* Eight workers and two adders: no two workers have the same object, nothing is lost, and all threads end. */
static void test_workers(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct queue_options options = QUEUE_DEFAULTS;
    options.backoff_min_ns = NS_PER_MS;
    options.backoff_max_ns = 4 * NS_PER_MS;
    options.breaker_min_ns = options.breaker_max_ns = NS_PER_MS;
    options.rate = 100000;
    struct crowd *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->queue = queue_new(&options);
    pthread_t threads[WORKERS];
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, crowd_work, c), 0);
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < OBJECTS; i++)
            queue_add_after(c->queue, arena_printf(a, "%d", i), arena_printf(a, "c%d", i % 3), (enum queue_priority)(i % 3),
                            (round + i) % 4 == 0 ? 100000 : 0);
    while (queue_counts(c->queue).known > 0) /* retries end with their second pass */
        (void)sched_yield();
    for (int i = 0; i < OBJECTS; i++)
        assert_true(atomic_load(&c->passes[i]) > 0);
    queue_shut_down(c->queue, true);
    assert_true(queue_wait_idle(c->queue, NO_DEADLINE));
    for (int i = 0; i < WORKERS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&c->twice), 0);
    queue_free(c->queue);
    free(c);
}

static void *wait_for_one(void *arg)
{
    struct queue_item item;
    enum queue_taken taken = queue_take(arg, NO_DEADLINE, &item);
    if (taken == QUEUE_TAKEN)
        queue_done(arg, item.key);
    return taken == QUEUE_TAKEN ? arg : NULL;
}

/* A waiting worker wakes up when an object is added, when a delay ends, and at shutdown. */
static void test_waiting(void **state)
{
    (void)state;
    struct queue_options options = QUEUE_DEFAULTS;
    pthread_t thread;
    void *result;
    for (int how = 0; how < 3; how++) {
        struct queue *q = queue_new(&options);
        assert_int_equal(pthread_create(&thread, NULL, wait_for_one, q), 0);
        if (how == 0)
            queue_add(q, STR("a"), STR_EMPTY, QUEUE_CHANGE);
        else if (how == 1)
            queue_add_after(q, STR("a"), STR_EMPTY, QUEUE_CHANGE, 2 * NS_PER_MS);
        else
            queue_shut_down(q, false);
        assert_int_equal(pthread_join(thread, &result), 0);
        assert_ptr_equal(result, how < 2 ? q : NULL);
        queue_free(q);
    }
    struct queue *q = queue_new(&options);
    struct queue_item item;
    assert_int_equal(queue_take(q, clock_now(&system_clock) + 2 * NS_PER_MS, &item), QUEUE_TIMEOUT);
    queue_free(q);
}

/* The values of client-go's queue metrics. */
static void test_times(void **state)
{
    (void)state;
    struct fake_clock clock;
    fake_clock_init(&clock, 0);
    struct queue_options options = QUEUE_DEFAULTS;
    options.clock = &clock.clock;
    struct queue *q = queue_new(&options);
    struct queue_item item;
    queue_add(q, STR("a"), STR_EMPTY, QUEUE_CHANGE);
    queue_add(q, STR("a"), STR_EMPTY, QUEUE_CHANGE); /* is in the queue already */
    fake_clock_advance(&clock, 3 * NS_PER_S);
    assert_int_equal(queue_take(q, 1, &item), QUEUE_TAKEN);
    assert_int_equal(item.waited_ns, 3 * NS_PER_S);
    fake_clock_advance(&clock, 2 * NS_PER_S);
    queue_add(q, STR("a"), STR_EMPTY, QUEUE_CHANGE); /* comes again */
    queue_add(q, STR("b"), STR_EMPTY, QUEUE_CHANGE);
    assert_int_equal(queue_take(q, 1, &item), QUEUE_TAKEN);
    fake_clock_advance(&clock, NS_PER_S);
    struct queue_counts counts = queue_counts(q);
    assert_int_equal(counts.unfinished_ns, 4 * NS_PER_S);
    assert_int_equal(counts.added, 3);
    queue_done(q, STR("a"));
    queue_done(q, STR("b"));
    assert_int_equal(queue_counts(q).unfinished_ns, 0);
    fake_clock_advance(&clock, 5 * NS_PER_S);
    assert_int_equal(queue_take(q, 1, &item), QUEUE_TAKEN); /* "a", waiting since its last pass ended */
    assert_int_equal(item.waited_ns, 5 * NS_PER_S);
    queue_retry(q, STR("a"), STR_EMPTY);
    assert_int_equal(queue_counts(q).retries, 1);
    queue_done(q, STR("a"));
    queue_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),   cmocka_unit_test(test_backoff), cmocka_unit_test(test_shares),
        cmocka_unit_test(test_jitter),  cmocka_unit_test(test_many),    cmocka_unit_test(test_workers),
        cmocka_unit_test(test_waiting), cmocka_unit_test(test_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
