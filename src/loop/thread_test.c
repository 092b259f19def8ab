#include "loop/thread.h"

#include "base/testing.h"
#include "loop/loop.h"

#include <signal.h>

struct seen {
    char name[16];
    size_t stack;
    sigset_t blocked;
    struct completion ready; /* the name is set */
    struct completion done;
};

static void *look_around(void *arg)
{
    struct seen *s = arg;
    (void)completion_wait(&s->ready, NO_DEADLINE);
    pthread_attr_t attr;
    (void)pthread_getattr_np(pthread_self(), &attr);
    (void)pthread_attr_getstacksize(&attr, &s->stack);
    (void)pthread_attr_destroy(&attr);
    (void)pthread_getname_np(pthread_self(), s->name, sizeof s->name);
    (void)pthread_sigmask(SIG_BLOCK, NULL, &s->blocked);
    completion_signal(&s->done);
    return NULL;
}

static void seen_init(struct seen *s)
{
    *s = (struct seen){0};
    completion_init(&s->ready);
    completion_init(&s->done);
}

static void seen_done(struct seen *s)
{
    completion_destroy(&s->ready);
    completion_destroy(&s->done);
}

static void check_signals(const sigset_t *blocked)
{
    static const int others[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, SIGPIPE, SIGUSR1};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(sigismember(blocked, others[i]), 1);
    /* Signals for the thread's own faults are not blocked, so they end the program where they happen. */
    assert_int_equal(sigismember(blocked, SIGSEGV), 0);
    assert_int_equal(sigismember(blocked, SIGABRT), 0);
}

static void a_thread_has_its_name_its_stack_and_no_signals(void **state)
{
    (void)state;
    sigset_t before, after;
    (void)pthread_sigmask(SIG_BLOCK, NULL, &before);
    struct seen s;
    seen_init(&s);
    pthread_t thread;
    assert_int_equal(thread_start(&thread, "looker", look_around, &s), 0);
    (void)pthread_sigmask(SIG_BLOCK, NULL, &after);
    completion_signal(&s.ready);
    thread_join(thread);
    assert_string_equal(s.name, "looker");
    assert_true(s.stack >= THREAD_STACK);
    check_signals(&s.blocked);
    assert_int_equal(sigismember(&before, SIGINT), sigismember(&after, SIGINT));
    seen_done(&s);
}

static void one_that_nobody_joins_is_the_same(void **state)
{
    (void)state;
    struct seen s;
    seen_init(&s);
    completion_signal(&s.ready);
    assert_int_equal(thread_start_detached("loner", look_around, &s), 0);
    assert_true(completion_wait(&s.done, clock_now(&system_clock) + 60 * NS_PER_S));
    assert_true(s.stack >= THREAD_STACK);
    check_signals(&s.blocked);
    seen_done(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_has_its_name_its_stack_and_no_signals),
        cmocka_unit_test(one_that_nobody_joins_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
