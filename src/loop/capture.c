#include "loop/capture.h"

#include <sys/wait.h>

struct running {
    struct captured *captured;
    struct process *process;
    int cancel_signal;
    struct completion ended;
};

/* Keeps as much as there is room for; the rest makes the buffer fail. */
static void keep(struct buf *b, struct str bytes)
{
    size_t room = b->max - b->n;
    buf_add(b, str_slice(bytes, 0, room));
    buf_add(b, str_slice(bytes, room, bytes.n));
}

static void take_out(void *ctx, struct str bytes)
{
    keep(&((struct running *)ctx)->captured->out, bytes);
}

static void take_err(void *ctx, struct str bytes)
{
    keep(&((struct running *)ctx)->captured->err, bytes);
}

static void take_end(void *ctx, int status)
{
    struct running *r = ctx;
    r->captured->status = status;
    completion_signal(&r->ended);
}

static void on_cancel(void *ctx)
{
    struct running *r = ctx;
    if (r->cancel_signal)
        process_signal(r->process, r->cancel_signal);
    else
        completion_signal(&r->ended);
}

bool capture_all(const struct capture_options *options, struct diags *diags, struct captured *ret)
{
    struct captured c = {.out = BUF_INIT(options->max_out), .err = BUF_INIT(options->max_out)};
    struct running r = {.captured = &c, .cancel_signal = options->cancel_signal};
    struct process_options start = {
        .loop = options->loop,
        .path = options->path,
        .argv = options->argv,
        .env = options->env,
        .folder = options->folder,
        .ctx = &r,
        .on_stdout = take_out,
        .on_stderr = take_err,
        .on_exit = take_end,
    };
    struct cancel_watch watch = {.fn = on_cancel, .arg = &r};
    completion_init(&r.ended);
    bool ok = process_start(&start, diags, &r.process);
    if (ok) {
        cancel_watch(options->cancel, &watch);
        c.in_time = completion_wait(&r.ended, options->deadline);
        cancel_unwatch(options->cancel, &watch);
        process_free(r.process); /* kills the process if it still runs; after that the status is known */
        *ret = c;
    }
    completion_destroy(&r.ended);
    return ok;
}

int capture_exit_code(const struct captured *c)
{
    return c->in_time && WIFEXITED(c->status) ? WEXITSTATUS(c->status) : -1;
}

void capture_wipe(struct captured *c)
{
    buf_wipe(&c->out);
    buf_wipe(&c->err);
}

static struct str why_it_failed(struct arena *a, const struct captured *c)
{
    struct str said = str_slice(str_trim(buf_str(&c->err)), 0, CAPTURE_MAX_ERROR);
    bool exited = WIFEXITED(c->status);
    return arena_printf(a, "it ended with %s %d%s" STR_FMT, exited ? "exit code" : "signal",
                        exited ? WEXITSTATUS(c->status) : WTERMSIG(c->status), said.n > 0 ? ": " : "", STR_ARG(said));
}

static bool judge(struct arena *a, const struct capture_options *o, const struct captured *c, struct str *reterr_why)
{
    if (!c->in_time)
        *reterr_why = STR("it did not finish in time");
    else if (cancel_fired(o->cancel))
        *reterr_why = STR("cancelled");
    else if (capture_exit_code(c) != 0)
        *reterr_why = why_it_failed(a, c);
    else if (!buf_ok(&c->out))
        *reterr_why = arena_printf(a, "it prints more than %zu bytes", o->max_out);
    else
        return true;
    return false;
}

bool capture_run(struct arena *a, const struct capture_options *options, struct buf *out, struct str *reterr_why)
{
    struct captured c;
    struct diags diags;
    diags_init(&diags, a);
    *out = BUF_INIT(options->max_out);
    if (!capture_all(options, &diags, &c)) {
        *reterr_why = diags.v[0].detail;
        return false;
    }
    bool ok = judge(a, options, &c, reterr_why);
    buf_wipe(&c.err);
    *out = c.out;
    return ok;
}
