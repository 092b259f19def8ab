#include "loop/capture.h"

#include "base/testing.h"
#include "loop/workers.h"

#include <signal.h>
#include <unistd.h>

static bool run(struct arena *a, struct loop *loop, const char *command, int64_t deadline, struct buf *out, struct str *why)
{
    const char *const argv[] = {"/bin/sh", "-c", command, NULL}, *const env[] = {"A=b", NULL};
    return capture_run(
        a,
        &(struct capture_options){.loop = loop, .path = argv[0], .argv = argv, .env = env, .max_out = 1000, .deadline = deadline},
        out, why);
}

static void what_it_prints(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct loop *loop = loop_new();
    struct buf out;
    struct str why;
    assert_true(run(a, loop, "echo $A; echo unread >&2", NO_DEADLINE, &out, &why));
    testing_text(buf_str(&out), "b\n");
    buf_wipe(&out);
    loop_free(loop);
}

static void why_there_is_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *command, *says;
    } cases[] = {
        {"echo no >&2; exit 3", "it ended with exit code 3: no"},
        {"exit 4", "it ended with exit code 4"},
        {"kill -9 $$", "it ended with signal 9"},
        {"yes | head -c 2000", "it prints more than 1000 bytes"},
        {"yes x | head -c 2000 >&2; exit 1", "it ended with exit code 1: x\nx"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct loop *loop = loop_new();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf out;
        struct str why;
        assert_false(run(a, loop, cases[i].command, NO_DEADLINE, &out, &why));
        if (!str_starts(why, str_of(cases[i].says)) || why.n > CAPTURE_MAX_ERROR + 100)
            fail_msg("%s: " STR_FMT, cases[i].command, STR_ARG(why));
        buf_wipe(&out);
    }
    loop_free(loop);
}

static void limits(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct loop *loop = loop_new();
    struct cancel *cancel = cancel_new();
    const char *const argv[] = {"/bin/sleep", "1000", NULL}, *const env[] = {NULL};
    struct capture_options options = {.loop = loop, .path = argv[0], .argv = argv, .env = env, .max_out = 10, .cancel = cancel};
    struct buf out;
    struct str why;
    options.deadline = clock_now(&system_clock) + 10 * NS_PER_MS;
    assert_false(capture_run(a, &options, &out, &why));
    testing_text(why, "it did not finish in time");
    buf_wipe(&out);
    options.deadline = NO_DEADLINE;
    cancel_fire(cancel);
    assert_false(capture_run(a, &options, &out, &why));
    testing_text(why, "cancelled");
    buf_wipe(&out);
    options.path = "/nonexistent/program";
    assert_false(capture_run(a, &options, &out, &why));
    assert_true(memmem(why.p, why.n, "/nonexistent/program", 20));
    buf_wipe(&out);
    cancel_free(cancel);
    loop_free(loop);
}

struct firing {
    struct cancel *cancel;
    const char *path;
};

/* Fires when the file exists. */
static void fire(void *arg)
{
    const struct firing *f = arg;
    while (access(f->path, F_OK) != 0)
        (void)usleep(1000);
    cancel_fire(f->cancel);
}

/* A command that is asked to end can still print what it has done. */
static void asked_to_end(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct loop *loop = loop_new();
    struct cancel *cancel = cancel_new();
    struct workers *workers = workers_new("test", 1);
    char folder[] = "/tmp/capture-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct firing firing = {cancel, arena_printf(a, "%s/ready", folder).p};
    const char *const argv[] = {"/bin/sh", "-c", "trap 'pwd; echo end >&2; exit 5' INT; : >ready; while :; do sleep 0.05; done",
                                NULL},
                      *const env[] = {NULL};
    struct capture_options options = {.loop = loop,
                                      .path = argv[0],
                                      .argv = argv,
                                      .env = env,
                                      .folder = folder,
                                      .max_out = 100,
                                      .deadline = NO_DEADLINE,
                                      .cancel = cancel,
                                      .cancel_signal = SIGINT};
    struct captured done;
    struct diags diags;
    diags_init(&diags, a);
    workers_submit(workers, fire, &firing);
    assert_true(capture_all(&options, &diags, &done));
    testing_text(buf_str(&done.out), arena_printf(a, "%s\n", folder).p);
    testing_text(buf_str(&done.err), "end\n");
    assert_int_equal(capture_exit_code(&done), 5);
    capture_wipe(&done);
    workers_free(workers);
    assert_int_equal(unlink(firing.path), 0);
    assert_int_equal(rmdir(folder), 0);
    cancel_free(cancel);
    loop_free(loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_it_prints),
        cmocka_unit_test(why_there_is_nothing),
        cmocka_unit_test(limits),
        cmocka_unit_test(asked_to_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
