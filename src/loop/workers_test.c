#include "loop/workers.h"

#include "loop/loop.h"

#include <stdatomic.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { N_JOBS = 3000 };

struct record {
    atomic_int n;
    int order[N_JOBS];
};

struct numbered {
    struct record *record;
    int number;
};

static void note(void *arg)
{
    struct numbered *job = arg;
    job->record->order[atomic_fetch_add(&job->record->n, 1)] = job->number;
}

static struct record record;
static struct numbered jobs[N_JOBS];

static void run_jobs(size_t n_threads)
{
    atomic_store(&record.n, 0);
    struct workers *w = workers_new("test", n_threads);
    for (int i = 0; i < N_JOBS; i++) {
        jobs[i] = (struct numbered){&record, i};
        workers_submit(w, note, &jobs[i]);
    }
    workers_free(w);
}

static void one_thread_keeps_the_order(void **state)
{
    (void)state;
    run_jobs(1);
    assert_int_equal(record.n, N_JOBS);
    for (int i = 0; i < N_JOBS; i++)
        assert_int_equal(record.order[i], i);
}

static void many_threads_do_every_job_once(void **state)
{
    (void)state;
    run_jobs(7);
    assert_int_equal(record.n, N_JOBS);
    static bool seen[N_JOBS];
    for (int i = 0; i < N_JOBS; i++) {
        assert_false(seen[record.order[i]]);
        seen[record.order[i]] = true;
    }
}

struct meeting {
    struct completion *mine, *other;
    bool met;
};

static void meet(void *arg)
{
    struct meeting *m = arg;
    completion_signal(m->mine);
    m->met = completion_wait(m->other, clock_now(&system_clock) + 10 * NS_PER_S);
}

static void threads_run_at_the_same_time(void **state)
{
    (void)state;
    struct completion a, b;
    completion_init(&a);
    completion_init(&b);
    struct meeting first = {&a, &b, false}, second = {&b, &a, false};
    struct workers *w = workers_new("test", 2);
    workers_submit(w, meet, &first);
    workers_submit(w, meet, &second);
    workers_free(w);
    assert_true(first.met && second.met);
    completion_destroy(&a);
    completion_destroy(&b);
}

struct stay {
    struct completion begun, leave;
};

static void stay(void *arg)
{
    struct stay *s = arg;
    completion_signal(&s->begun);
    (void)completion_wait(&s->leave, NO_DEADLINE);
}

/* A job that blocks does not keep others from running; without a free thread a job is refused, not queued. */
static void what_is_tried_runs_at_once_or_not_at_all(void **state)
{
    (void)state;
    enum { MAX = 20 };
    struct stay s[MAX + 1];
    struct workers *w = workers_new("test", MAX);
    for (int i = 0; i <= MAX; i++) {
        completion_init(&s[i].begun);
        completion_init(&s[i].leave);
    }
    for (int i = 0; i < MAX; i++)
        assert_true(workers_try(w, stay, &s[i]));
    for (int i = 0; i < MAX; i++)
        assert_true(completion_wait(&s[i].begun, clock_now(&system_clock) + 60 * NS_PER_S));
    assert_false(workers_try(w, stay, &s[MAX]));
    /* A thread that has finished takes the next job. */
    completion_signal(&s[7].leave);
    while (!workers_try(w, stay, &s[MAX]))
        ;
    assert_true(completion_wait(&s[MAX].begun, clock_now(&system_clock) + 60 * NS_PER_S));
    for (int i = 0; i <= MAX; i++)
        completion_signal(&s[i].leave);
    workers_free(w);
    for (int i = 0; i <= MAX; i++) {
        completion_destroy(&s[i].begun);
        completion_destroy(&s[i].leave);
    }
}

static void none_submitted_ends_at_once(void **state)
{
    (void)state;
    workers_free(workers_new("test", 3));
    workers_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_keeps_the_order),   cmocka_unit_test(many_threads_do_every_job_once),
        cmocka_unit_test(threads_run_at_the_same_time), cmocka_unit_test(what_is_tried_runs_at_once_or_not_at_all),
        cmocka_unit_test(none_submitted_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
