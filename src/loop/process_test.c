#include "loop/process.h"

#include "base/buf.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static const char *const test_env[] = {"PATH=/usr/bin:/bin", "GREETING=hello world", NULL};

/* The output of a child, and how it ended. */
struct observed {
    struct buf out, err;
    bool out_ended, err_ended, order_ok;
    int status;
    int n_exits;
    struct completion exited;
};

static void take_out(void *ctx, struct str bytes)
{
    struct observed *o = ctx;
    o->out_ended = o->out_ended || bytes.n == 0;
    buf_add(&o->out, bytes);
}

static void take_err(void *ctx, struct str bytes)
{
    struct observed *o = ctx;
    o->err_ended = o->err_ended || bytes.n == 0;
    buf_add(&o->err, bytes);
}

static void take_exit(void *ctx, int status)
{
    struct observed *o = ctx;
    o->order_ok = o->out_ended && o->err_ended;
    o->status = status;
    o->n_exits++;
    completion_signal(&o->exited);
}

static void observed_init(struct observed *o)
{
    *o = (struct observed){.out = BUF_INIT(64 << 20), .err = BUF_INIT(64 << 20)};
    completion_init(&o->exited);
}

static void observed_done(struct observed *o)
{
    buf_free(&o->out);
    buf_free(&o->err);
    completion_destroy(&o->exited);
}

static struct process *start_shell(struct loop *loop, struct observed *o, const char *script)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const char *argv[] = {"sh", "-c", script, NULL};
    struct process *p = NULL;
    assert_true(process_start(
        &(struct process_options){
            .loop = loop,
            .path = "/bin/sh",
            .argv = argv,
            .env = test_env,
            .ctx = o,
            .on_stdout = take_out,
            .on_stderr = take_err,
            .on_exit = take_exit,
        },
        &diags, &p));
    return p;
}

/* Runs a script to its end. */
static void run_shell(struct observed *o, const char *script)
{
    struct loop *loop = loop_new();
    observed_init(o);
    struct process *p = start_shell(loop, o, script);
    (void)completion_wait(&o->exited, NO_DEADLINE);
    process_free(p);
    loop_free(loop);
    assert_int_equal(o->n_exits, 1);
    assert_true(o->order_ok);
}

static void assert_out(struct observed *o, const char *expected)
{
    buf_addc(&o->out, '\0');
    assert_string_equal(o->out.p, expected);
}

static void streams_and_exit_status_are_reported(void **state)
{
    (void)state;
    struct observed o;
    run_shell(&o, "echo out; echo err >&2; exit 7");
    assert_out(&o, "out\n");
    assert_true(str_eq(buf_str(&o.err), STR("err\n")));
    assert_true(WIFEXITED(o.status));
    assert_int_equal(WEXITSTATUS(o.status), 7);
    observed_done(&o);
}

static void environment_is_exactly_the_given_one(void **state)
{
    (void)state;
    struct observed o;
    run_shell(&o, "tr '\\0' '\\n' </proc/$$/environ");
    assert_out(&o, "PATH=/usr/bin:/bin\nGREETING=hello world\n");
    observed_done(&o);
}

static void standard_input_is_empty(void **state)
{
    (void)state;
    struct observed o;
    run_shell(&o, "cat; echo end");
    assert_out(&o, "end\n");
    observed_done(&o);
}

static void child_has_a_session_of_its_own(void **state)
{
    (void)state;
    struct observed o;
    /* pid, process group, session are fields 1, 5 and 6. */
    run_shell(&o, "read -r line </proc/$$/stat; set -- $line; [ $1 = $5 ] && [ $1 = $6 ] && echo leader");
    assert_out(&o, "leader\n");
    observed_done(&o);
}

static void other_descriptors_do_not_reach_the_child(void **state)
{
    (void)state;
    int leak = open("/dev/null", O_RDONLY); /* deliberately without close-on-exec */
    assert_true(leak > 2);
    struct observed o;
    run_shell(&o, "exec ls -m /proc/self/fd");
    assert_out(&o, "0, 1, 2, 3\n"); /* 3 is the folder that ls reads */
    (void)close(leak);
    observed_done(&o);
}

static void signal_handling_is_the_default(void **state)
{
    (void)state;
    struct sigaction ignore = {.sa_handler = SIG_IGN}, old;
    (void)sigaction(SIGUSR1, &ignore, &old);
    struct observed o;
    run_shell(&o, "grep -E 'SigBlk|SigIgn' /proc/self/status | tr -d '\\t\\n'");
    (void)sigaction(SIGUSR1, &old, NULL);
    buf_addc(&o.out, '\0');
    unsigned long long blocked, ignored;
    assert_int_equal(sscanf(o.out.p, "SigBlk:%llxSigIgn:%llx", &blocked, &ignored), 2);
    assert_int_equal(blocked, 0);
    /* Signals 32 and 33 are internal to libc, which refuses to change the disposition that this test inherited. */
    assert_int_equal(ignored & ~(3ULL << 31), 0);
    observed_done(&o);
}

static void much_output_on_both_streams_arrives(void **state)
{
    (void)state;
    struct observed o;
    run_shell(&o, "head -c 8000000 /dev/zero; head -c 3000000 /dev/zero >&2");
    assert_int_equal(o.out.n, 8000000);
    assert_int_equal(o.err.n, 3000000);
    observed_done(&o);
}

/* True when the process is dead, or a zombie that its new parent has not reaped yet. */
static bool is_soon_gone(pid_t pid)
{
    char path[64], line[256];
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int64_t give_up = clock_now(&system_clock) + 10 * NS_PER_S;
    bool gone = false;
    while (!gone && clock_now(&system_clock) < give_up) {
        FILE *f = fopen(path, "r");
        gone = !f || !fgets(line, sizeof line, f) || strstr(line, ") Z") || strstr(line, ") X");
        if (f)
            (void)fclose(f);
        struct timespec pause = {.tv_nsec = 2 * NS_PER_MS};
        (void)nanosleep(&pause, NULL);
    }
    return gone;
}

struct look {
    struct observed *o;
    size_t n;
};

static void look_at_output(void *arg)
{
    struct look *look = arg;
    look->n = look->o->out.n;
}

static void wait_for_output(struct loop *loop, struct observed *o)
{
    int64_t give_up = clock_now(&system_clock) + 20 * NS_PER_S;
    struct look look = {o, 0};
    while (look.n == 0 && clock_now(&system_clock) < give_up)
        loop_call(loop, look_at_output, &look);
    assert_true(look.n > 0);
}

static void free_kills_a_running_child_and_its_group(void **state)
{
    (void)state;
    struct loop *loop = loop_new();
    struct observed o;
    observed_init(&o);
    /* The shell ignores signals that can be ignored and has a child of its own. */
    struct process *p = start_shell(loop, &o, "trap '' TERM INT HUP; sleep 1000 & echo $!; wait");
    wait_for_output(loop, &o);
    process_signal(p, SIGTERM);
    pid_t pid = process_pid(p);
    process_free(p);
    loop_free(loop);
    assert_true(WIFSIGNALED(o.status));
    assert_int_equal(WTERMSIG(o.status), SIGKILL);
    assert_int_equal(kill(pid, 0), -1);
    buf_addc(&o.out, '\0');
    pid_t grandchild = (pid_t)strtol(o.out.p, NULL, 10);
    assert_true(grandchild > 1);
    assert_true(is_soon_gone(grandchild));
    observed_done(&o);
}

static void signal_reaches_the_child(void **state)
{
    (void)state;
    struct loop *loop = loop_new();
    struct observed o;
    observed_init(&o);
    struct process *p = start_shell(loop, &o, "exec sleep 1000");
    process_signal(p, SIGTERM);
    assert_true(completion_wait(&o.exited, clock_now(&system_clock) + 10 * NS_PER_S));
    assert_int_equal(WTERMSIG(o.status), SIGTERM);
    process_signal(p, SIGTERM); /* ignored */
    process_free(p);
    loop_free(loop);
    observed_done(&o);
}

/* A daemon in a session of its own keeps the pipes open: the end of the child is still reported, a moment later. */
static void escaped_grandchild_with_our_pipes_does_not_hold_us(void **state)
{
    (void)state;
    struct loop *loop = loop_new();
    struct observed o;
    observed_init(&o);
    struct process *p = start_shell(loop, &o, "setsid sh -c 'echo started; exec sleep 6' & exec sleep 1000");
    wait_for_output(loop, &o);
    int64_t before = clock_now(&system_clock);
    process_free(p);
    int64_t took = clock_now(&system_clock) - before;
    loop_free(loop);
    assert_true(took > NS_PER_S / 2 && took < 5 * NS_PER_S);
    assert_true(o.order_ok);
    assert_int_equal(WTERMSIG(o.status), SIGKILL);
    observed_done(&o);
}

static void many_children_at_once(void **state)
{
    (void)state;
    enum { N = 40 };
    static struct observed o[N];
    struct process *p[N];
    struct loop *loop = loop_new();
    for (int i = 0; i < N; i++) {
        observed_init(&o[i]);
        p[i] = start_shell(loop, &o[i], "echo x; exit 3");
    }
    for (int i = 0; i < N; i++) {
        assert_true(completion_wait(&o[i].exited, clock_now(&system_clock) + 30 * NS_PER_S));
        process_free(p[i]);
        assert_int_equal(WEXITSTATUS(o[i].status), 3);
        assert_int_equal(o[i].out.n, 2);
        observed_done(&o[i]);
    }
    loop_free(loop);
}

/* ---- programs that cannot be started ---- */

static void assert_start_fails(const char *path, const char *folder, const char *expected)
{
    struct loop *loop = loop_new();
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const char *argv[] = {path, NULL};
    struct observed o;
    observed_init(&o);
    struct process *p = NULL;
    assert_false(process_start(
        &(struct process_options){
            .loop = loop,
            .path = path,
            .argv = argv,
            .env = test_env,
            .folder = folder,
            .ctx = &o,
            .on_stdout = take_out,
            .on_stderr = take_err,
            .on_exit = take_exit,
        },
        &diags, &p));
    assert_null(p);
    assert_int_equal(diags.n, 1);
    assert_non_null(strstr(diags.v[0].detail.p, path));
    if (!strstr(diags.v[0].detail.p, expected))
        fail_msg("\"%s\" is not in: %s", expected, diags.v[0].detail.p);
    loop_free(loop);
    assert_int_equal(o.n_exits, 0);
    observed_done(&o);
}

static void write_program(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    (void)close(fd);
}

static void programs_that_cannot_run_say_why(void **state)
{
    (void)state;
    char folder[] = "/tmp/terrane-process-XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[64];
    (void)snprintf(path, sizeof path, "%s/program", folder);

    assert_start_fails(path, NULL, "no such file");
    write_program(path, "#!/bin/sh\n", 0600);
    assert_start_fails(path, NULL, "Permission denied");
    write_program(path, "plain text", 0700);
    assert_start_fails(path, NULL, "Exec format error");
    write_program(path, "#!/nonexistent/interpreter\n", 0700);
    assert_start_fails(path, NULL, "interpreter");
    assert_start_fails("/bin/sh", "/nonexistent/folder", "/nonexistent/folder");
    assert_start_fails(folder, NULL, "Permission denied");

    (void)unlink(path);
    (void)rmdir(folder);
}

/* ---- the end of our own process ---- */

/* Runs in its own process: starts a child, reports its id, and dies without cleaning up. */
static _Noreturn void start_and_die(int report)
{
    struct loop *loop = loop_new();
    static struct observed o;
    observed_init(&o);
    struct process *p = start_shell(loop, &o, "trap '' TERM INT HUP; while :; do sleep 1; done");
    pid_t pid = process_pid(p);
    (void)!write(report, &pid, sizeof pid);
    (void)raise(SIGKILL);
    _exit(0);
}

static void child_dies_with_us(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    pid_t helper = fork();
    if (helper == 0)
        start_and_die(fds[1]);
    pid_t child = 0;
    assert_int_equal(read(fds[0], &child, sizeof child), sizeof child);
    (void)waitpid(helper, NULL, 0);
    assert_true(is_soon_gone(child));
    (void)close(fds[0]);
    (void)close(fds[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_and_exit_status_are_reported),
        cmocka_unit_test(environment_is_exactly_the_given_one),
        cmocka_unit_test(standard_input_is_empty),
        cmocka_unit_test(child_has_a_session_of_its_own),
        cmocka_unit_test(other_descriptors_do_not_reach_the_child),
        cmocka_unit_test(signal_handling_is_the_default),
        cmocka_unit_test(much_output_on_both_streams_arrives),
        cmocka_unit_test(free_kills_a_running_child_and_its_group),
        cmocka_unit_test(signal_reaches_the_child),
        cmocka_unit_test(escaped_grandchild_with_our_pipes_does_not_hold_us),
        cmocka_unit_test(many_children_at_once),
        cmocka_unit_test(programs_that_cannot_run_say_why),
        cmocka_unit_test(child_dies_with_us),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
