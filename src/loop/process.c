/*
 * Life of a child: vfork and exec on the loop's thread -> two pipes are read and a pidfd is watched -> the pidfd becomes
 * readable: what is left of the child's process group is killed, then the child is reaped -> both streams end -> on_exit ->
 * all handles are closed -> `gone` is signalled, for which process_free() waits.
 *
 * - PR_SET_PDEATHSIG follows the thread that forks, not the process: the loop's thread lives as long as anything that owns a
 *   process, so the fork happens there.
 * - Between vfork and exec the child shares our memory: run_child() only makes system calls.
 * - The group is killed while the dead child is still a zombie: its id cannot have been reused.
 * - A chatty child writes its log line by line, and each line would wake the loop. So after a small read from stderr the loop
 *   waits REST_MS before it reads again, unless the child ends. After a large read it continues immediately, and the pipe is
 *   larger than usual, so the child hardly ever blocks.
 * - A grandchild that left the group may keep the pipes open forever; DRAIN_MS after the exit the streams count as ended.
 */
#include "loop/process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    READ_SIZE = 64 << 10,
    FEW_BYTES = 8 << 10,
    REST_MS = 250,
    PIPE_SIZE = 256 << 10,
    DRAIN_MS = 1000,
    EXIT_UNKNOWN = 255 << 8
};

enum step { STEP_PIPES, STEP_FORK, STEP_PREPARE, STEP_FOLDER, STEP_EXEC, STEP_WATCH };

struct failure {
    enum step step;
    int error;
};

struct stream {
    uv_poll_t watch; /* not uv_pipe_t, which wakes the loop once more after reading was stopped */
    int fd;
    void (*on_bytes)(void *ctx, struct str bytes);
    struct process *process;
    bool ended;
};

struct process {
    struct loop *loop;
    void *ctx;
    void (*on_exit)(void *ctx, int status);
    struct stream out, err;
    uv_poll_t watch; /* of the pidfd */
    uv_timer_t drain, rest;
    pid_t pid;
    int pidfd;
    int status;
    bool exited;
    int n_open; /* handles */
    struct completion gone;
    char bytes[READ_SIZE]; /* shared by both streams: consumed before the next read */
};

/* Everything the child needs, prepared before the fork. */
struct launch {
    const struct process_options *options;
    struct process *process;
    int in, out, err; /* the child's ends */
    int report;       /* carries a struct failure, closed by a successful exec */
    int read_out, read_err, read_report;
    pid_t parent;
    struct failure failure;
    bool ok;
};

static void maybe_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* ---- in the child, before exec ---- */

static _Noreturn void fail_child(const struct launch *l, enum step step)
{
    struct failure failure = {step, errno};
    ssize_t written = write(l->report, &failure, sizeof failure);
    (void)written;
    _exit(127);
}

static void keep_only_standard_descriptors(void)
{
    if (close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC) == 0)
        return;
    /* Kernels before 5.11 lack close_range() with CLOSE_RANGE_CLOEXEC. */
    long max = sysconf(_SC_OPEN_MAX);
    for (int fd = 3; fd < max && fd < INT_MAX; fd++)
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
}

static void default_signals(void)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    for (int i = 1; i < NSIG; i++)
        (void)sigaction(i, &action, NULL); /* fails for SIGKILL, SIGSTOP and libc's internal signals, which need no reset */
    sigset_t none;
    (void)sigemptyset(&none);
    (void)sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn __attribute__((noinline)) void run_child(const struct launch *l)
{
    /* All descriptors here are above 2, so none is overwritten before it was used. */
    if (dup2(l->in, 0) < 0 || dup2(l->out, 1) < 0 || dup2(l->err, 2) < 0)
        fail_child(l, STEP_PREPARE);
    (void)setsid();
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0)
        fail_child(l, STEP_PREPARE);
    /* Our parent may have died before the line above. */
    if (getppid() != l->parent)
        _exit(127);
    if (l->options->folder && chdir(l->options->folder) != 0)
        fail_child(l, STEP_FOLDER);
    keep_only_standard_descriptors();
    default_signals();
    (void)execve(l->options->path, (char *const *)l->options->argv, (char *const *)l->options->env);
    fail_child(l, STEP_EXEC);
}

/* ---- on the loop's thread ---- */

static void handle_closed(uv_handle_t *handle)
{
    struct process *p = handle->data;
    if (--p->n_open > 0)
        return;
    (void)close(p->pidfd);
    completion_signal(&p->gone);
}

static void stream_closed(uv_handle_t *handle)
{
    struct stream *s = handle->data;
    maybe_close(&s->fd);
    handle->data = s->process;
    handle_closed(handle);
}

static void finish_when_over(struct process *p)
{
    if (!p->exited || !p->out.ended || !p->err.ended)
        return;
    p->on_exit(p->ctx, p->status);
    uv_close((uv_handle_t *)&p->watch, handle_closed);
    uv_close((uv_handle_t *)&p->drain, handle_closed);
    uv_close((uv_handle_t *)&p->rest, handle_closed);
}

static void end_stream(struct stream *s)
{
    if (s->ended)
        return;
    s->ended = true;
    uv_close((uv_handle_t *)&s->watch, stream_closed);
    s->on_bytes(s->process->ctx, STR_EMPTY);
    finish_when_over(s->process);
}

static void readable(uv_poll_t *watch, int status, int events);

static void read_on(struct stream *s)
{
    if (!s->ended)
        (void)uv_poll_start(&s->watch, UV_READABLE | UV_DISCONNECT, readable);
}

static void rested(uv_timer_t *timer)
{
    struct process *p = timer->data;
    if (p->err.ended)
        return;
    read_on(&p->err);
    readable(&p->err.watch, 0, UV_READABLE); /* read now: often this starts the next rest without another wake-up */
}

static void rest(struct process *p)
{
    (void)uv_poll_stop(&p->err.watch);
    (void)uv_timer_start(&p->rest, rested, REST_MS, 0);
}

static void readable(uv_poll_t *watch, int status, int events)
{
    (void)status;
    (void)events;
    struct stream *s = watch->data;
    struct process *p = s->process;
    ssize_t n = read(s->fd, p->bytes, sizeof p->bytes);
    if (n > 0)
        s->on_bytes(p->ctx, (struct str){p->bytes, (size_t)n});
    else if (n == 0 || (errno != EAGAIN && errno != EINTR))
        end_stream(s);
    if (n > 0 && n < FEW_BYTES && s == &p->err && !p->exited)
        rest(p);
}

static void drained(uv_timer_t *timer)
{
    struct process *p = timer->data;
    end_stream(&p->out);
    end_stream(&p->err);
}

static void child_ended(uv_poll_t *watch, int status, int events)
{
    (void)status;
    (void)events;
    struct process *p = watch->data;
    (void)uv_poll_stop(watch);
    /* Not reaped yet, so the group's id is still its own. */
    (void)kill(-p->pid, SIGKILL);
    pid_t pid;
    do
        pid = waitpid(p->pid, &p->status, 0);
    while (pid < 0 && errno == EINTR);
    if (pid < 0)
        p->status = EXIT_UNKNOWN; /* other code reaped it */
    p->exited = true;
    (void)uv_timer_stop(&p->rest);
    read_on(&p->err);
    (void)uv_timer_start(&p->drain, drained, DRAIN_MS, 0);
    finish_when_over(p);
}

static void open_stream(struct process *p, struct stream *s, int *fd)
{
    s->process = p;
    s->fd = *fd;
    *fd = -1;
    (void)uv_poll_init(loop_uv(p->loop), &s->watch, s->fd);
    s->watch.data = s;
    read_on(s);
}

static void watch_child(struct launch *l)
{
    struct process *p = l->process;
    open_stream(p, &p->out, &l->read_out);
    open_stream(p, &p->err, &l->read_err);
    (void)fcntl(p->err.fd, F_SETPIPE_SZ, PIPE_SIZE); /* on failure the pipe keeps its size */
    (void)uv_poll_init(loop_uv(p->loop), &p->watch, p->pidfd);
    p->watch.data = p;
    (void)uv_poll_start(&p->watch, UV_READABLE, child_ended);
    (void)uv_timer_init(loop_uv(p->loop), &p->drain);
    p->drain.data = p;
    (void)uv_timer_init(loop_uv(p->loop), &p->rest);
    p->rest.data = p;
    p->n_open = 5;
}

/* Descriptors 0 to 2 are the child's targets, so ours must be above them (we may have been started with some of them closed). */
static bool lift(int *fd)
{
    if (*fd > 2)
        return true;
    int higher = fcntl(*fd, F_DUPFD_CLOEXEC, 3);
    int error = errno;
    maybe_close(fd);
    *fd = higher;
    errno = error;
    return higher >= 0;
}

static bool make_pipe(int *ret_read, int *ret_write)
{
    int fds[2];
    if (pipe2(fds, O_CLOEXEC) != 0)
        return false;
    *ret_read = fds[0];
    *ret_write = fds[1];
    return lift(ret_read) && lift(ret_write);
}

static bool open_descriptors(struct launch *l)
{
    l->in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return l->in >= 0 && lift(&l->in) && make_pipe(&l->read_out, &l->out) && make_pipe(&l->read_err, &l->err) &&
           make_pipe(&l->read_report, &l->report);
}

/* True when exec succeeded: it closed the report pipe without a message. */
static bool child_runs(struct launch *l)
{
    ssize_t n;
    do
        n = read(l->read_report, &l->failure, sizeof l->failure);
    while (n < 0 && errno == EINTR);
    if (n == 0)
        return true;
    if (n != sizeof l->failure)
        l->failure = (struct failure){STEP_PREPARE, n < 0 ? errno : EIO};
    return false;
}

static bool spawn(struct launch *l)
{
    struct process *p = l->process;
    l->failure.step = STEP_PIPES;
    if (!open_descriptors(l))
        return false;
    l->failure.step = STEP_FORK;
    pid_t pid = vfork(); /* NOLINT(clang-analyzer-security.insecureAPI.vfork,bugprone-unsafe-functions): posix_spawn has no
                            PR_SET_PDEATHSIG */
    if (pid == 0)
        run_child(l); /* NOLINT(clang-analyzer-unix.Vfork): makes system calls only */
    if (pid < 0)
        return false;
    p->pid = pid;
    maybe_close(&l->report);
    bool runs = child_runs(l);
    if (runs) {
        p->pidfd = pidfd_open(p->pid, 0);
        if (p->pidfd >= 0)
            return true;
        l->failure = (struct failure){STEP_WATCH, errno};
    }
    (void)kill(p->pid, SIGKILL);
    while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    errno = l->failure.error;
    return false;
}

static void start_on_loop(void *arg)
{
    struct launch *l = arg;
    l->ok = spawn(l);
    if (l->ok)
        watch_child(l);
    else
        l->failure.error = errno;
    int *all[] = {&l->in, &l->out, &l->err, &l->report, &l->read_out, &l->read_err, &l->read_report};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        maybe_close(all[i]);
}

/* ---- from other threads ---- */

static bool explain(const struct process_options *o, struct failure failure, struct diags *diags)
{
    static const char summary[] = "Cannot start program";
    const char *why = strerror(failure.error);
    switch (failure.step) {
    case STEP_EXEC:
        /* The kernel also reports ENOENT when the file exists but its interpreter or loader does not. */
        if (failure.error == ENOENT && access(o->path, F_OK) == 0)
            why = "the interpreter or program loader it names does not exist";
        else if (failure.error == ENOENT)
            why = "no such file";
        return diags_fail(diags, summary, "cannot run %s: %s", o->path, why);
    case STEP_FOLDER:
        return diags_fail(diags, summary, "cannot run %s in the folder %s: %s", o->path, o->folder, why);
    case STEP_PIPES:
    case STEP_FORK:
    case STEP_PREPARE:
    case STEP_WATCH:
        break;
    }
    return diags_fail(diags, summary, "cannot run %s: the system has no room for another process or descriptor: %s", o->path,
                      why);
}

bool process_start(const struct process_options *options, struct diags *diags, struct process **ret)
{
    struct process *p = calloc(1, sizeof *p);
    if (!p)
        return explain(options, (struct failure){STEP_PREPARE, ENOMEM}, diags);
    p->loop = options->loop;
    p->ctx = options->ctx;
    p->on_exit = options->on_exit;
    p->out.on_bytes = options->on_stdout;
    p->err.on_bytes = options->on_stderr;
    completion_init(&p->gone);
    struct launch l = {.options = options, .process = p, .parent = getpid()};
    l.in = l.out = l.err = l.report = l.read_out = l.read_err = l.read_report = -1;
    loop_call(p->loop, start_on_loop, &l);
    if (!l.ok) {
        completion_destroy(&p->gone);
        free(p);
        return explain(options, l.failure, diags);
    }
    *ret = p;
    return true;
}

pid_t process_pid(const struct process *p)
{
    return p->pid;
}

static void kill_on_loop(void *arg)
{
    struct process *p = arg;
    /* Runs on the loop's thread, which also reaps: while `exited` is false the id still belongs to the child. */
    if (!p->exited)
        (void)kill(-p->pid, SIGKILL);
}

struct delivery {
    struct process *process;
    int signal;
};

static void signal_on_loop(void *arg)
{
    struct delivery *d = arg;
    if (!d->process->exited)
        (void)kill(d->process->pid, d->signal);
}

void process_signal(struct process *p, int signal)
{
    struct delivery d = {p, signal};
    if (loop_is_current(p->loop))
        signal_on_loop(&d);
    else
        loop_call(p->loop, signal_on_loop, &d);
}

void process_free(struct process *p)
{
    if (!p)
        return;
    assert(!loop_is_current(p->loop));
    loop_call(p->loop, kill_on_loop, p); /* not posted: `p` could be freed before the task runs */
    (void)completion_wait(&p->gone, NO_DEADLINE);
    completion_destroy(&p->gone);
    free(p);
}
