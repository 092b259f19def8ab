/*
 * The launcher against the scripted fake provider, in all the ways in which a start, a life and an end can go wrong. After each
 * case nothing may be left: no child, no zombie, no process of the case's mark, no file in TMPDIR, no descriptor.
 *
 * The program starts itself again with a TMPDIR of its own, because that is where the launcher puts sockets.
 */
#include "plugin/launch.h"

#include "plugin/plugin.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define MARK "TERRANE_LAUNCH_TEST" /* holds the folder; children inherit it */
#define FAKE_FOLDER TERRANE_SOURCE "/tests/fake/"

enum { MAX_ENV = 16 };

#define PATIENT (60 * NS_PER_S) /* for cases that end by themselves, even under a sanitizer */
#define HASTY (700 * NS_PER_MS) /* for cases that end by the limit */

/* ---- what is left behind ---- */

static int count_files(const char *path)
{
    int n = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *e; (e = readdir(folder));)
        n += e->d_name[0] != '.';
    (void)closedir(folder);
    return n;
}

static bool has_mark(const char *pid)
{
    char path[300], text[64 << 10], mark[300];
    (void)snprintf(path, sizeof path, "/proc/%s/environ", pid);
    (void)snprintf(mark, sizeof mark, MARK "=%s", getenv(MARK));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text) : 0;
    if (fd >= 0)
        (void)close(fd);
    return n > 0 && memmem(text, (size_t)n, mark, strlen(mark) + 1);
}

static int count_marked_processes(void)
{
    int n = 0;
    DIR *proc = opendir("/proc");
    assert_non_null(proc);
    for (struct dirent *e; (e = readdir(proc));)
        n += e->d_name[0] >= '0' && e->d_name[0] <= '9' && strtol(e->d_name, NULL, 10) != getpid() && has_mark(e->d_name);
    (void)closedir(proc);
    return n;
}

static void assert_nothing_left(int descriptors_before)
{
    errno = 0;
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD); /* neither child nor zombie */
    assert_int_equal(count_marked_processes(), 0);
    assert_int_equal(count_files(getenv("TMPDIR")), 0);
    assert_int_equal(count_files("/proc/self/fd"), descriptors_before);
}

/* ---- one start ---- */

struct attempt {
    const char *path; /* NULL: the fake provider */
    const char *schema, *script, *handshake, *protocol;
    const char *extra; /* KEY=VALUE for the provider */
    int64_t timeout;
    bool no_tls;
    struct cancel *cancel;
    struct log *log;
    /* filled */
    struct arena *arena;
    struct loop *loop;
    struct diags diags;
    struct str text; /* the diagnostics */
    int descriptors_before;
};

static void begin(struct attempt *t)
{
    t->descriptors_before = count_files("/proc/self/fd");
    t->arena = arena_new(NULL, 0);
    t->loop = loop_new();
    diags_init(&t->diags, t->arena);
}

static void end(struct attempt *t)
{
    loop_free(t->loop);
    arena_free(t->arena);
    assert_nothing_left(t->descriptors_before);
}

static void add_env(struct attempt *t, const char *env[MAX_ENV], const char *key, const char *value)
{
    size_t n = 0;
    while (env[n])
        n++;
    assert_true(n + 1 < MAX_ENV);
    if (value)
        env[n] = arena_printf(t->arena, "%s=%s", key, value).p;
}

static bool start(struct attempt *t, struct plugin **ret)
{
    const char *env[MAX_ENV] = {NULL};
    const char *schema = t->schema ? t->schema : FAKE_FOLDER "schema.json";
    add_env(t, env, "TERRANE_FAKE_SCHEMA", schema);
    add_env(t, env, "TERRANE_FAKE_SCRIPT", t->script ? arena_printf(t->arena, FAKE_FOLDER "examples/%s", t->script).p : NULL);
    add_env(t, env, "TERRANE_FAKE_HANDSHAKE", t->handshake);
    add_env(t, env, "TERRANE_FAKE_PROTOCOL", t->protocol);
    if (t->extra)
        add_env(t, env, "TF_LOG_PROVIDER", t->extra);
    const struct launch_options options = {
        .loop = t->loop,
        .log = t->log,
        .path = t->path ? t->path : getenv("TERRANE_FAKE"),
        .name = STR("terrane/fake"),
        .env = env,
        .start_timeout_ns = t->timeout > 0 ? t->timeout : PATIENT,
        .cancel = t->cancel,
        .no_tls = t->no_tls,
    };
    bool ok = plugin_launch(&options, &t->diags, ret);
    struct buf text BUF_AUTO = BUF_INIT(1 << 20);
    diags_write(&text, &t->diags, false);
    t->text = buf_copy(&text, t->arena);
    return ok;
}

static void assert_says(const struct attempt *t, const char *what)
{
    if (!strstr(t->text.p, what))
        fail_msg("\"%s\" is not in:\n%s", what, t->text.p);
}

static struct plugin *must_start(struct attempt *t)
{
    struct plugin *p = NULL;
    begin(t);
    if (!start(t, &p))
        fail_msg("%s", t->text.p);
    assert_int_equal(t->diags.n, 0);
    return p;
}

static struct grpc_result ask_schema(struct attempt *t, struct plugin *p, struct str *ret)
{
    struct str method =
        plugin_protocol(p) == 5 ? STR("/tfplugin5.Provider/GetSchema") : STR("/tfplugin6.Provider/GetProviderSchema");
    const struct grpc_call_options options = {.deadline = clock_now(&system_clock) + PATIENT};
    return grpc_client_unary(plugin_client(p), t->arena, method, STR_EMPTY, &options, ret);
}

/* ---- starts that fail ---- */

static const struct failure {
    const char *handshake;
    int64_t timeout;
    const char *says[3];
} failures[] = {
    {"silence", HASTY, {"no handshake line came on stdout within 0.7 s", "nothing was printed there"}},
    {"half_line", 5 * NS_PER_S, {"within 5.0 s", "found \"1|6|unix|/tmp/half\" without a line end"}},
    {"exit",
     0,
     {"exited with status 3 before its handshake", "The last lines of provider \"terrane/fake\" on stderr:", "full of eels"}},
    {"panic", 0, {"exited with status 2", "panic: assignment to entry in nil map", "/src/main.go:7"}},
    {"garbage", 0, {"Not a handshake line", "found \"Usage: eels [-h] FILE\\x1b[31m\""}},
    {"junk_before", 0, {"Not a handshake line", "found \"starting the eels\""}},
    {"close_stdout", 0, {"closed stdout before its handshake"}},
    {"huge_line", 0, {"more than 16384 bytes without a line end", "AAAA"}},
    {"few_fields", 0, {"at least 4 fields"}},
    {"no_rpc_field", 0, {"net/rpc"}},
    {"core_protocol_2", 0, {"version 2 of the plugin handshake"}},
    {"protocol_4", 0, {"protocol version 4; Terrane supports versions 5 and 6", "Terraform 0.11"}},
    {"protocol_7", 0, {"protocol version 7; Terrane supports versions 5 and 6", "newer than this program"}},
    {"network", 0, {"udp"}},
    {"netrpc", 0, {"net/rpc"}},
    {"padded_certificate", 0, {"padd"}},
    {"broken_certificate", 0, {"ertificate"}},
    {"no_certificate", 0, {"no certificate, though mutual TLS was asked for", "TF_DISABLE_PLUGIN_TLS"}},
    {"other_certificate", 0, {"after its handshake, the connection failed", "ertificate"}},
    {"no_socket", 0, {"after its handshake, the connection failed", "-not-here"}},
    {"never_accept", 5 * NS_PER_S, {"after its handshake, the connection failed"}},
    {"close_connections", 0, {"after its handshake, the connection failed"}},
    {"exit_after", 0, {"exited with status 3", "the eels are out"}},
};

static void a_broken_handshake_is_explained_and_leaves_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof failures[0]; i++) {
        const struct failure *f = &failures[i];
        struct attempt t = {.handshake = f->handshake, .timeout = f->timeout};
        struct plugin *p;
        begin(&t);
        if (start(&t, &p))
            fail_msg("%s was accepted", f->handshake);
        assert_int_equal(t.diags.n, 1);
        assert_says(&t, "Error: Provider did not start");
        assert_says(&t, "terrane/fake (");
        for (size_t j = 0; j < 3 && f->says[j]; j++)
            assert_says(&t, f->says[j]);
        end(&t);
    }
}

static void fails_to_start(const char *path, const char *says, const char *advice)
{
    struct attempt t = {.path = path};
    struct plugin *p;
    begin(&t);
    assert_false(start(&t, &p));
    assert_says(&t, "Error: Provider did not start");
    assert_says(&t, says);
    assert_says(&t, advice);
    end(&t);
}

static void make_file(const char *path, const char *bytes, size_t n, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);
    assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && close(fd) == 0);
}

static void what_is_no_provider_is_told_from_what_is_no_program(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *file = arena_printf(a, "%s/file", getenv(MARK)).p;
    fails_to_start("/no/such/provider", "no such file", "install the provider");
    fails_to_start(getenv(MARK), "cannot run", "This is a folder");
    make_file(file, "text\n", 5, 0644);
    fails_to_start(file, "Permission denied", "chmod +x");
    (void)unlink(file);
    make_file(file, "PK\003\004 a zip, not a program", 24, 0755);
    fails_to_start(file, "cannot run", "unpacked.");
    (void)unlink(file);
    /* The head of a program for another machine. */
    static const char elf[64] = "\177ELF\002\002\001\000\000\000\000\000\000\000\000\000\000\002\000\026";
    make_file(file, elf, sizeof elf, 0755);
    fails_to_start(file, "cannot run", "another kind of machine");
    (void)unlink(file);
    fails_to_start("/bin/true", "exited with status 0 before its handshake", "not a Terraform provider");
    fails_to_start("/bin/false", "exited with status 1 before its handshake", "not a Terraform provider");
}

static void a_script_with_a_mistake_is_named_by_line(void **state)
{
    (void)state;
    struct attempt t = {.script = "../README.md"};
    struct plugin *p;
    begin(&t);
    assert_false(start(&t, &p));
    assert_says(&t, "exited with status 1 before its handshake");
    assert_says(&t, "README.md");
    end(&t);
}

/* ---- cancellation ---- */

static void *fire_soon(void *arg)
{
    struct timespec wait = {.tv_nsec = 300 * NS_PER_MS};
    (void)nanosleep(&wait, NULL);
    cancel_fire(arg);
    return NULL;
}

static void cancelled(const char *handshake, bool before)
{
    struct attempt t = {.handshake = handshake, .cancel = cancel_new()};
    struct plugin *p;
    pthread_t thread;
    begin(&t);
    if (before)
        cancel_fire(t.cancel);
    else
        assert_int_equal(pthread_create(&thread, NULL, fire_soon, t.cancel), 0);
    int64_t from = clock_now(&system_clock);
    assert_false(start(&t, &p));
    assert_true(clock_now(&system_clock) - from < PATIENT / 2);
    if (!before)
        (void)pthread_join(thread, NULL);
    assert_says(&t, "the start was cancelled");
    assert_int_equal(t.diags.n, 1);
    cancel_free(t.cancel);
    end(&t);
}

static void a_start_can_be_cancelled_at_any_step(void **state)
{
    (void)state;
    cancelled(NULL, true);
    cancelled("silence", false);
    cancelled("huge_line", true);
    cancelled("never_accept", false);
}

/* ---- starts that succeed ---- */

static void a_provider_starts_answers_and_ends(void **state)
{
    (void)state;
    static const struct {
        const char *protocol, *handshake;
        bool no_tls;
        int expect;
    } cases[] = {
        {NULL, NULL, false, 6}, {"5", NULL, false, 5},           {"6", NULL, true, 6},
        {"5", NULL, true, 5},   {NULL, "noise_after", false, 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct attempt t = {.protocol = cases[i].protocol, .handshake = cases[i].handshake, .no_tls = cases[i].no_tls};
        struct plugin *p = must_start(&t);
        assert_int_equal(plugin_protocol(p), cases[i].expect);
        assert_true(str_eqz(plugin_name(p), "terrane/fake"));
        struct str bytes;
        assert_int_equal(ask_schema(&t, p, &bytes).status, GRPC_OK);
        assert_true(bytes.n > 100);
        assert_false(plugin_is_gone(p));
        assert_false(plugin_ended(p, t.arena, &(struct plugin_end){0}));
        assert_int_equal(count_files(getenv("TMPDIR")), 1);
        plugin_free(p);
        end(&t);
    }
}

static void the_socket_of_a_provider_that_ignores_its_folder_is_removed(void **state)
{
    (void)state;
    struct attempt t = {.handshake = "ignore_socket_dir", .script = "stopped.yaml"};
    struct plugin *p = must_start(&t);
    assert_int_equal(count_files(getenv("TMPDIR")), 2); /* the unused folder, and the socket beside it */
    const struct grpc_call_options options = {.deadline = clock_now(&system_clock) + NS_PER_S / 2};
    struct str bytes;
    /* It is stopped from here on, so it cannot remove the socket itself. */
    assert_int_equal(
        grpc_client_unary(plugin_client(p), t.arena, STR("/tfplugin6.Provider/GetProviderSchema"), STR_EMPTY, &options, &bytes)
            .status,
        GRPC_DEADLINE_EXCEEDED);
    int64_t from = clock_now(&system_clock);
    plugin_free(p);
    int64_t took = clock_now(&system_clock) - from;
    assert_true(took > 3 * NS_PER_S / 2); /* the 2 s for Shutdown, then SIGKILL */
    end(&t);
}

static struct str read_pipe(struct arena *a, int fd)
{
    char text[64 << 10];
    ssize_t n = read(fd, text, sizeof text);
    return arena_str(a, (struct str){text, n > 0 ? (size_t)n : 0});
}

static void what_a_provider_writes_to_stderr_reaches_our_log(void **state)
{
    (void)state;
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    struct log *log = log_new(fds[1], LOG_TRACE, LOG_TEXT, &system_clock);
    log_set_foreign(log, LOG_FOREIGN_TEXT);
    struct attempt t = {.script = "noise.yaml", .log = log, .extra = "debug"};
    struct plugin *p = must_start(&t);
    t.descriptors_before -= 2; /* the pipe's, which are closed below */
    struct str bytes;
    assert_int_equal(ask_schema(&t, p, &bytes).status, GRPC_OK);
    plugin_free(p);
    log_free(log);
    struct str text = read_pipe(t.arena, fds[0]);
    (void)close(fds[0]);
    (void)close(fds[1]);
    assert_non_null(strstr(text.p, "[DEBUG] provider started"));
    assert_non_null(strstr(text.p, "[DEBUG] plugin address provider=terrane/fake"));
    assert_non_null(strstr(text.p, "[WARN]  plain warning provider=terrane/fake"));
    assert_non_null(strstr(text.p, "[ERROR] a record provider=terrane/fake k=1"));
    end(&t);
}

/* ---- crashes ---- */

static void dies(const char *script, const char *how, const char *stderr_line)
{
    struct attempt t = {.script = script};
    struct plugin *p = must_start(&t);
    struct str bytes;
    assert_int_equal(ask_schema(&t, p, &bytes).status, GRPC_UNAVAILABLE);
    assert_true(plugin_is_gone(p));
    struct plugin_end last;
    assert_true(plugin_ended(p, t.arena, &last));
    assert_string_equal(last.how.p, how);
    assert_int_equal(last.panicked, stderr_line != NULL);
    if (stderr_line && !strstr(last.output.p, stderr_line))
        fail_msg("%s", last.output.p);
    assert_int_equal(ask_schema(&t, p, &bytes).status, GRPC_UNAVAILABLE); /* later calls too */
    plugin_free(p);
    end(&t);
}

static void the_end_of_a_plugin_is_told_with_what_it_said_last(void **state)
{
    (void)state;
    dies("crash_killed.yaml", "was killed by signal 9 (Killed)", NULL);
    dies("crash_panic.yaml", "exited with status 2", "panic: runtime error: invalid memory address");
}

static void malformed_answers_end_the_call_and_not_the_provider(void **state)
{
    (void)state;
    struct attempt t = {.script = "malformed.yaml"};
    struct provider *provider;
    begin(&t);
    const char *env[MAX_ENV] = {NULL};
    add_env(&t, env, "TERRANE_FAKE_SCHEMA", FAKE_FOLDER "schema.json");
    add_env(&t, env, "TERRANE_FAKE_SCRIPT", FAKE_FOLDER "examples/malformed.yaml");
    const struct launch_options options = {
        .loop = t.loop, .path = getenv("TERRANE_FAKE"), .name = STR("terrane/fake"), .env = env, .start_timeout_ns = PATIENT};
    assert_true(provider_launch(&options, &t.diags, &provider));
    for (int i = 1; i <= 5; i++) { /* garbage, truncated, deep, oversized, a status of its own */
        size_t n = t.diags.n;
        const struct grpc_call_options patient = {.deadline = clock_now(&system_clock) + PATIENT};
        assert_null(provider_schema(provider, &patient, &t.diags));
        assert_true(t.diags.n > n);
        assert_false(provider_is_gone(provider));
    }
    provider_free(provider);
    end(&t);
}

/* ---- many at once ---- */

static void *start_and_end(void *arg)
{
    struct attempt *t = arg;
    struct plugin *p;
    struct str bytes;
    if (start(t, &p)) {
        (void)ask_schema(t, p, &bytes);
        plugin_free(p);
    }
    return NULL;
}

static void providers_start_at_once_on_one_loop(void **state)
{
    (void)state;
    enum { N = 6 };
    struct attempt first = {0}, t[N] = {{.protocol = "5"}, {.protocol = "6"}, {.handshake = "exit"}, {.no_tls = true}, {0}, {0}};
    pthread_t threads[N];
    begin(&first);
    for (int i = 0; i < N; i++) {
        t[i].arena = arena_new(NULL, 0);
        t[i].loop = first.loop;
        diags_init(&t[i].diags, t[i].arena);
        assert_int_equal(pthread_create(&threads[i], NULL, start_and_end, &t[i]), 0);
    }
    for (int i = 0; i < N; i++) {
        (void)pthread_join(threads[i], NULL);
        assert_int_equal(t[i].diags.n_errors, i == 2 ? 1 : 0);
        arena_free(t[i].arena);
    }
    end(&first);
}

/* Libraries open some descriptors once and for all when they are first used. */
static int warm_up(void **state)
{
    (void)state;
    struct attempt t = {0};
    struct plugin *p = must_start(&t);
    plugin_free(p);
    loop_free(t.loop);
    arena_free(t.arena);
    return 0;
}

/* ---- a TMPDIR of its own ---- */

static int start_again(char **argv)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char folder[] = "/tmp/launch-XXXXXX";
    if (!mkdtemp(folder))
        return 99;
    size_t n = 0;
    while (environ[n])
        n++;
    const char **env = arena_make_n(a, const char *, n + 3);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0)
            env[kept++] = environ[i];
    env[kept++] = arena_printf(a, MARK "=%s", folder).p;
    env[kept++] = arena_printf(a, "TMPDIR=%s/t", folder).p;
    const char *tmpdir = arena_printf(a, "%s/t", folder).p;
    int status = 99;
    pid_t pid = mkdir(tmpdir, 0700) == 0 ? fork() : -1;
    if (pid == 0) {
        (void)execve("/proc/self/exe", argv, (char *const *)env);
        _exit(99);
    }
    if (pid > 0)
        (void)waitpid(pid, &status, 0);
    (void)rmdir(tmpdir);
    (void)rmdir(folder);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

int main(int argc, char **argv)
{
    (void)argc;
    if (!getenv(MARK))
        return start_again(argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_provider_starts_answers_and_ends),
        cmocka_unit_test(a_broken_handshake_is_explained_and_leaves_nothing),
        cmocka_unit_test(what_is_no_provider_is_told_from_what_is_no_program),
        cmocka_unit_test(a_script_with_a_mistake_is_named_by_line),
        cmocka_unit_test(a_start_can_be_cancelled_at_any_step),
        cmocka_unit_test(the_socket_of_a_provider_that_ignores_its_folder_is_removed),
        cmocka_unit_test(what_a_provider_writes_to_stderr_reaches_our_log),
        cmocka_unit_test(the_end_of_a_plugin_is_told_with_what_it_said_last),
        cmocka_unit_test(malformed_answers_end_the_call_and_not_the_provider),
        cmocka_unit_test(providers_start_at_once_on_one_loop),
    };
    return cmocka_run_group_tests(tests, warm_up, NULL);
}
