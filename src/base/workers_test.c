#include "base/workers.h"

#include "base/loop.h"

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
    struct workers *w = workers_new(n_threads);
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
    struct workers *w = workers_new(2);
    workers_submit(w, meet, &first);
    workers_submit(w, meet, &second);
    workers_free(w);
    assert_true(first.met && second.met);
    completion_destroy(&a);
    completion_destroy(&b);
}

static void none_submitted_ends_at_once(void **state)
{
    (void)state;
    workers_free(workers_new(3));
    workers_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_keeps_the_order),
        cmocka_unit_test(many_threads_do_every_job_once),
        cmocka_unit_test(threads_run_at_the_same_time),
        cmocka_unit_test(none_submitted_ends_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
