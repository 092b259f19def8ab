#include "web/trace.h"

#include "base/json.h"
#include "base/lock.h"
#include "base/must.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINE = 64 << 10, FULL = 48 << 10 };
#define MAX_FILE (INT64_C(4) << 30) /* bytes; nothing is written beyond */

struct trace {
    int fd;
    int64_t begun;
    pthread_mutex_t lock; /* protects what follows */
    struct buf waiting;
    int64_t written;
    int failed; /* errno of the first failed write; nothing is written after it */
};

static void flush_locked(struct trace *t)
{
    struct str rest = buf_str(&t->waiting);
    while (rest.n > 0 && t->failed == 0) {
        ssize_t n = write(t->fd, rest.p, rest.n);
        if (n < 0 && errno != EINTR)
            t->failed = errno;
        if (n > 0)
            rest = str_slice(rest, (size_t)n, rest.n);
    }
    t->written += (int64_t)t->waiting.n;
    buf_clear(&t->waiting);
}

struct trace *trace_open(const char *path, struct diags *diags)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    /* An existing file would keep its mode otherwise. */
    if (fd < 0 || fchmod(fd, 0600) != 0) {
        (void)diags_fail(diags, "Cannot write the trace", "%s: %s.", path, strerror(errno));
        if (fd >= 0)
            (void)close(fd);
        return NULL;
    }
    struct trace *t = must(calloc(1, sizeof *t));
    *t = (struct trace){.fd = fd, .begun = clock_now(&system_clock), .waiting = BUF_INIT(2 * MAX_LINE)};
    mutex_init(&t->lock);
    buf_printf(&t->waiting,
               "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n"
               "{\"ph\":\"M\",\"pid\":%d,\"tid\":0,\"name\":\"process_name\",\"args\":{\"name\":\"terrane\"}}",
               (int)getpid());
    return t;
}

void trace_close(struct trace *t, struct log *log)
{
    if (!t)
        return;
    buf_addz(&t->waiting, "\n]}\n");
    flush_locked(t);
    if (close(t->fd) != 0 && t->failed == 0)
        t->failed = errno;
    if (t->failed != 0)
        log_warn(log, "the trace is incomplete", LOG_Z("why", strerror(t->failed)));
    buf_free(&t->waiting);
    mutex_destroy(&t->lock);
    free(t);
}

static void write_event(struct buf *out, const struct trace *t, const struct log_work *work)
{
    static const char *const categories[] = {[LOG_WORK_CALL] = "call",
                                             [LOG_WORK_COMMAND] = "command",
                                             [LOG_WORK_REQUEST] = "request",
                                             [LOG_WORK_PASS] = "reconcile",
                                             [LOG_WORK_JOB] = "job"};
    struct json_writer w = {.out = out};
    json_begin_object(&w);
    json_put_text(&w, "name", work->kind == LOG_WORK_PASS ? work->about : work->what);
    json_put_text(&w, "cat", str_of(categories[work->kind]));
    json_put_text(&w, "ph", STR("X"));
    json_put_int(&w, "ts", (work->begun - t->begun) / 1000);
    json_put_int(&w, "dur", (work->ended - work->begun) / 1000);
    json_put_int(&w, "pid", getpid());
    json_put_int(&w, "tid", gettid());
    json_key(&w, STR("args"));
    json_begin_object(&w);
    json_put_text(&w, "who", work->who);
    if (work->about.n > 0)
        json_put_text(&w, "about", work->about);
    json_put_text(&w, "outcome", str_of(work->outcome));
    json_end_object(&w);
    json_end_object(&w);
    (void)json_finish(&w);
}

void trace_work(void *trace, const struct log_work *work)
{
    struct trace *t = trace;
    if (!work->outcome)
        return;
    struct buf line BUF_AUTO = BUF_INIT(MAX_LINE);
    buf_addz(&line, ",\n");
    write_event(&line, t, work);
    MUTEX_GUARD(&t->lock);
    if (!buf_ok(&line) || t->failed || t->written > MAX_FILE)
        return;
    buf_add(&t->waiting, buf_str(&line));
    if (t->waiting.n > FULL)
        flush_locked(t);
}
