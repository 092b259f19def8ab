#include "lazy/quiet.h"

#include "base/testing.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* What a library does. */
static void say(const char *text)
{
    (void)fprintf(stderr, "[%s() line %d] %s\n", "library", 7, text);
}

static void *another_thread(void *unused)
{
    (void)unused;
    say("another");
    return NULL;
}

static void a_thread_is_silent_and_others_are_heard(void **state)
{
    (void)state;
    int ends[2], terminal = dup(STDERR_FILENO);
    FILE *before = stderr;
    pthread_t other;
    char heard[256] = {0};
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    quiet_prepare();
    say("before");
    quiet(true);
    say("never");
    assert_int_equal(pthread_create(&other, NULL, another_thread, NULL), 0);
    assert_int_equal(pthread_join(other, NULL), 0);
    quiet(false);
    say("after");
    FILE *ours = stderr;
    stderr = before;
    (void)fclose(ours);
    assert_int_equal(dup2(terminal, STDERR_FILENO), STDERR_FILENO);
    assert_true(read(ends[0], heard, sizeof heard - 1) > 0);
    assert_string_equal(heard, "[library() line 7] before\n[library() line 7] another\n[library() line 7] after\n");
    (void)close(ends[0]);
    (void)close(ends[1]);
    (void)close(terminal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_thread_is_silent_and_others_are_heard)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
