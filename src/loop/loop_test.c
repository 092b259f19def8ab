#include "loop/loop.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { N_THREADS = 8, N_POSTS = 5000 };

struct sink {
    struct loop *loop;
    pthread_mutex_t lock;
    int last[N_THREADS];
    int n;
    bool in_order;
    bool on_loop;
};

struct post {
    struct sink *sink;
    int thread, number;
};

static void count_post(void *arg)
{
    struct post *post = arg;
    struct sink *sink = post->sink;
    sink->in_order = sink->in_order && sink->last[post->thread] == post->number - 1;
    sink->last[post->thread] = post->number;
    sink->on_loop = sink->on_loop && loop_is_current(sink->loop);
    sink->n++;
    free(post);
}

struct poster {
    struct sink *sink;
    int thread;
};

static void *post_many(void *arg)
{
    struct poster *p = arg;
    for (int i = 1; i <= N_POSTS; i++) {
        struct post *post = malloc(sizeof *post);
        *post = (struct post){p->sink, p->thread, i};
        loop_post(p->sink->loop, count_post, post);
    }
    return NULL;
}

static void posts_of_each_thread_run_in_order_and_before_the_end(void **state)
{
    (void)state;
    struct sink sink = {.loop = loop_new(), .in_order = true, .on_loop = true};
    pthread_t threads[N_THREADS];
    struct poster posters[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        posters[i] = (struct poster){&sink, i};
        assert_int_equal(pthread_create(&threads[i], NULL, post_many, &posters[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++)
        (void)pthread_join(threads[i], NULL);
    assert_false(loop_is_current(sink.loop));
    loop_free(sink.loop);
    assert_int_equal(sink.n, N_THREADS * N_POSTS);
    assert_true(sink.in_order);
    assert_true(sink.on_loop);
}

struct chain {
    struct loop *loop;
    int left;
};

static void post_again(void *arg)
{
    struct chain *chain = arg;
    if (--chain->left > 0)
        loop_post(chain->loop, post_again, chain);
}

static void what_a_task_posts_runs_before_the_loop_ends(void **state)
{
    (void)state;
    struct chain chain = {loop_new(), 100};
    loop_post(chain.loop, post_again, &chain);
    loop_free(chain.loop);
    assert_int_equal(chain.left, 0);
}

static void set_flag(void *arg)
{
    *(bool *)arg = true;
}

static void call_returns_after_the_function(void **state)
{
    (void)state;
    struct loop *loop = loop_new();
    bool done = false;
    loop_call(loop, set_flag, &done);
    assert_true(done);
    loop_free(loop);
}

static void read_mask(void *arg)
{
    (void)pthread_sigmask(SIG_SETMASK, NULL, arg);
}

static void signals_are_blocked_in_the_loop(void **state)
{
    (void)state;
    struct loop *loop = loop_new();
    sigset_t mask;
    loop_call(loop, read_mask, &mask);
    assert_true(sigismember(&mask, SIGINT));
    assert_true(sigismember(&mask, SIGCHLD));
    (void)pthread_sigmask(SIG_SETMASK, NULL, &mask);
    assert_false(sigismember(&mask, SIGINT));
    loop_free(loop);
}

struct timed {
    struct loop *loop;
    uv_timer_t timer;
    struct completion fired;
};

static void timer_fired(uv_timer_t *timer)
{
    struct timed *t = timer->data;
    uv_close((uv_handle_t *)timer, NULL);
    completion_signal(&t->fired);
}

static void start_timer(void *arg)
{
    struct timed *t = arg;
    (void)uv_timer_init(loop_uv(t->loop), &t->timer);
    t->timer.data = t;
    (void)uv_timer_start(&t->timer, timer_fired, 10, 0);
}

struct alarm {
    struct loop *loop;
    struct loop_timer *timer;
    atomic_int n;
    bool on_loop, again;
    int64_t at;
    struct completion rang;
};

static void ring(void *arg)
{
    struct alarm *a = arg;
    a->on_loop = loop_is_current(a->loop);
    a->at = clock_now(&system_clock);
    if (atomic_fetch_add(&a->n, 1) == 0 && a->again)
        loop_timer_set(a->timer, a->at + NS_PER_MS);
    else
        completion_signal(&a->rang);
}

static void alarm_init(struct alarm *a, struct loop *loop)
{
    *a = (struct alarm){.loop = loop};
    completion_init(&a->rang);
    a->timer = loop_timer_new(loop, ring, a);
}

static void alarm_done(struct alarm *a)
{
    loop_timer_free(a->timer);
    completion_destroy(&a->rang);
}

static void a_timer_calls_on_the_loop_and_not_before_its_time(void **state)
{
    (void)state;
    struct loop *loop = loop_new();
    struct alarm a;
    alarm_init(&a, loop);
    a.again = true;
    int64_t at = clock_now(&system_clock) + 5 * NS_PER_MS;
    loop_timer_set(a.timer, at + 3600 * NS_PER_S);
    loop_timer_set(a.timer, at); /* replaces the time */
    assert_true(completion_wait(&a.rang, at + 60 * NS_PER_S));
    assert_int_equal(atomic_load(&a.n), 2); /* the second was set by the first */
    assert_true(a.on_loop && a.at >= at);
    alarm_done(&a);
    loop_free(loop);
}

static void a_timer_that_is_unset_or_gone_does_not_call(void **state)
{
    (void)state;
    struct loop *loop = loop_new();
    struct alarm never, gone, past;
    alarm_init(&never, loop);
    alarm_init(&gone, loop);
    alarm_init(&past, loop);
    int64_t soon = clock_now(&system_clock) + 200 * NS_PER_MS;
    loop_timer_set(never.timer, soon);
    loop_timer_set(never.timer, NO_DEADLINE);
    loop_timer_set(gone.timer, soon);
    alarm_done(&gone);
    loop_timer_set(past.timer, soon - 3600 * NS_PER_S);
    assert_true(completion_wait(&past.rang, soon + 60 * NS_PER_S));
    loop_timer_set(past.timer, soon + 10 * NS_PER_MS);
    while (atomic_load(&past.n) < 2)
        (void)completion_wait(&never.rang, clock_now(&system_clock) + NS_PER_MS);
    assert_int_equal(atomic_load(&never.n), 0);
    assert_int_equal(atomic_load(&gone.n), 0);
    alarm_done(&never);
    alarm_done(&past);
    loop_timer_free(NULL);
    loop_free(loop);
}

static void completion_waits_for_the_loop(void **state)
{
    (void)state;
    struct timed t = {.loop = loop_new()};
    completion_init(&t.fired);
    int64_t before = clock_now(&system_clock);
    loop_post(t.loop, start_timer, &t);
    assert_true(completion_wait(&t.fired, NO_DEADLINE));
    assert_true(clock_now(&system_clock) - before >= 9 * NS_PER_MS);
    assert_true(completion_wait(&t.fired, 1)); /* done stays done, whatever the deadline */
    completion_destroy(&t.fired);
    loop_free(t.loop);
}

static void completion_gives_up_at_the_deadline(void **state)
{
    (void)state;
    struct completion c;
    completion_init(&c);
    int64_t deadline = clock_now(&system_clock) + 20 * NS_PER_MS;
    assert_false(completion_wait(&c, deadline));
    assert_true(clock_now(&system_clock) >= deadline);
    completion_destroy(&c);
}

static void add_one(void *arg)
{
    (void)atomic_fetch_add((atomic_int *)arg, 1);
}

static void firing_runs_each_watch_once(void **state)
{
    (void)state;
    struct cancel *c = cancel_new();
    atomic_int n = 0;
    struct cancel_watch watches[3] = {{add_one, &n, NULL, NULL}, {add_one, &n, NULL, NULL}, {add_one, &n, NULL, NULL}};
    for (int i = 0; i < 3; i++)
        cancel_watch(c, &watches[i]);
    cancel_unwatch(c, &watches[1]);
    assert_false(cancel_fired(c));
    cancel_fire(c);
    cancel_fire(c);
    assert_true(cancel_fired(c));
    assert_int_equal(n, 2);
    for (int i = 0; i < 3; i++)
        cancel_unwatch(c, &watches[i]);
    cancel_free(c);
}

static void watching_what_has_fired_runs_at_once(void **state)
{
    (void)state;
    struct cancel *c = cancel_new();
    cancel_fire(c);
    atomic_int n = 0;
    struct cancel_watch watch = {.fn = add_one, .arg = &n};
    cancel_watch(c, &watch);
    assert_int_equal(n, 1);
    cancel_unwatch(c, &watch);
    cancel_free(c);
}

static void nothing_to_cancel_is_accepted(void **state)
{
    (void)state;
    atomic_int n = 0;
    struct cancel_watch watch = {.fn = add_one, .arg = &n};
    cancel_watch(NULL, &watch);
    cancel_unwatch(NULL, &watch);
    assert_false(cancel_fired(NULL));
    assert_int_equal(n, 0);
    cancel_free(NULL);
}

struct slow {
    struct completion started;
    atomic_bool finished;
};

static void run_slowly(void *arg)
{
    struct slow *slow = arg;
    completion_signal(&slow->started);
    struct timespec pause = {.tv_nsec = 30 * NS_PER_MS};
    (void)nanosleep(&pause, NULL);
    atomic_store(&slow->finished, true);
}

static void *fire(void *arg)
{
    cancel_fire(arg);
    return NULL;
}

static void unwatch_waits_for_the_running_function(void **state)
{
    (void)state;
    struct cancel *c = cancel_new();
    struct slow slow = {.finished = false};
    completion_init(&slow.started);
    struct cancel_watch watch = {.fn = run_slowly, .arg = &slow};
    cancel_watch(c, &watch);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, fire, c), 0);
    (void)completion_wait(&slow.started, NO_DEADLINE);
    cancel_unwatch(c, &watch);
    assert_true(atomic_load(&slow.finished));
    (void)pthread_join(thread, NULL);
    completion_destroy(&slow.started);
    cancel_free(c);
}

static void count_call(void *arg)
{
    ++*(int *)arg;
}

/* After a reset it fires again, for those who watch it then. */
static void cancel_again(void **state)
{
    (void)state;
    struct cancel *c = cancel_new();
    int n = 0;
    struct cancel_watch watch = {.fn = count_call, .arg = &n};
    cancel_fire(c);
    cancel_reset(c);
    assert_false(cancel_fired(c));
    cancel_watch(c, &watch);
    assert_int_equal(n, 0);
    cancel_fire(c);
    assert_int_equal(n, 1);
    cancel_unwatch(c, &watch);
    cancel_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cancel_again),
        cmocka_unit_test(posts_of_each_thread_run_in_order_and_before_the_end),
        cmocka_unit_test(what_a_task_posts_runs_before_the_loop_ends),
        cmocka_unit_test(call_returns_after_the_function),
        cmocka_unit_test(signals_are_blocked_in_the_loop),
        cmocka_unit_test(a_timer_calls_on_the_loop_and_not_before_its_time),
        cmocka_unit_test(a_timer_that_is_unset_or_gone_does_not_call),
        cmocka_unit_test(completion_waits_for_the_loop),
        cmocka_unit_test(completion_gives_up_at_the_deadline),
        cmocka_unit_test(firing_runs_each_watch_once),
        cmocka_unit_test(watching_what_has_fired_runs_at_once),
        cmocka_unit_test(nothing_to_cancel_is_accepted),
        cmocka_unit_test(unwatch_waits_for_the_running_function),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
