#include "loop/capture.h"

#include <sys/wait.h>

struct running {
    struct buf *out;
    struct buf err;
    int status;
    struct completion ended;
};

static void take_out(void *ctx, struct str bytes)
{
    buf_add(((struct running *)ctx)->out, bytes);
}

static void take_err(void *ctx, struct str bytes)
{
    struct buf *err = &((struct running *)ctx)->err;
    buf_add(err, str_slice(bytes, 0, CAPTURE_MAX_ERROR - err->n));
}

static void take_end(void *ctx, int status)
{
    struct running *r = ctx;
    r->status = status;
    completion_signal(&r->ended);
}

static void wake(void *completion)
{
    completion_signal(completion);
}

static struct str why_it_failed(struct arena *a, const struct running *r)
{
    struct str said = str_trim(buf_str(&r->err));
    bool exited = WIFEXITED(r->status);
    return arena_printf(a, "it ended with %s %d%s" STR_FMT, exited ? "exit code" : "signal",
                        exited ? WEXITSTATUS(r->status) : WTERMSIG(r->status), said.n > 0 ? ": " : "", STR_ARG(said));
}

static bool wait_for_end(struct arena *a, const struct capture_options *o, struct process *process, struct running *r,
                         struct str *reterr_why)
{
    struct cancel_watch watch = {.fn = wake, .arg = &r->ended};
    cancel_watch(o->cancel, &watch);
    bool in_time = completion_wait(&r->ended, o->deadline);
    cancel_unwatch(o->cancel, &watch);
    process_free(process);
    if (!in_time)
        *reterr_why = STR("it did not finish in time");
    else if (cancel_fired(o->cancel))
        *reterr_why = STR("cancelled");
    else if (!WIFEXITED(r->status) || WEXITSTATUS(r->status) != 0)
        *reterr_why = why_it_failed(a, r);
    else if (!buf_ok(r->out))
        *reterr_why = arena_printf(a, "it prints more than %zu bytes", r->out->max);
    else
        return true;
    return false;
}

bool capture_run(struct arena *a, const struct capture_options *options, struct buf *out, struct str *reterr_why)
{
    struct running r = {.out = out, .err = BUF_INIT(CAPTURE_MAX_ERROR)};
    struct process_options start = {
        .loop = options->loop,
        .path = options->path,
        .argv = options->argv,
        .env = options->env,
        .ctx = &r,
        .on_stdout = take_out,
        .on_stderr = take_err,
        .on_exit = take_end,
    };
    struct process *process;
    struct diags diags;
    diags_init(&diags, a);
    *out = BUF_INIT(options->max_out);
    completion_init(&r.ended);
    bool ok = process_start(&start, &diags, &process);
    if (!ok)
        *reterr_why = diags.v[0].detail;
    else
        ok = wait_for_end(a, options, process, &r, reterr_why);
    completion_destroy(&r.ended);
    buf_wipe(&r.err);
    return ok;
}
