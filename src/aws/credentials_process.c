/*
 * credential_process: a command of the user's own that prints credentials. It runs as AWS's SDK for Go runs it, by the shell,
 * with our environment; what it prints is overwritten when it has been read.
 */
#include "aws/credentials_private.h"
#include "loop/process.h"

#include <sys/wait.h>

enum { MAX_ERROR_TEXT = 500 };

struct running {
    struct buf out, err;
    int status;
    struct completion ended;
};

static void take_out(void *ctx, struct str bytes)
{
    buf_add(&((struct running *)ctx)->out, bytes);
}

static void take_err(void *ctx, struct str bytes)
{
    struct buf *err = &((struct running *)ctx)->err;
    buf_add(err, str_slice(bytes, 0, MAX_ERROR_TEXT - err->n));
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

static int64_t earlier(const struct aws_fetch *f)
{
    int64_t end = clock_now(&system_clock) + AWS_PROCESS_TIMEOUT_S * NS_PER_S;
    return f->deadline != NO_DEADLINE && f->deadline < end ? f->deadline : end;
}

/* False: why it has no answer is in *reterr. */
static bool run_command(struct aws_fetch *f, struct str command, struct running *r, struct str *reterr)
{
    static const char *const empty[] = {NULL};
    const char *argv[] = {"/bin/sh", "-c", arena_str(f->a, command).p, NULL};
    struct process_options options = {
        .loop = f->loop,
        .path = argv[0],
        .argv = argv,
        .env = f->settings->env ? f->settings->env : empty,
        .ctx = r,
        .on_stdout = take_out,
        .on_stderr = take_err,
        .on_exit = take_end,
    };
    struct process *process;
    struct diags diags;
    diags_init(&diags, f->a);
    if (!process_start(&options, &diags, &process)) {
        *reterr = diags.v[0].detail;
        return false;
    }
    struct cancel_watch watch = {.fn = wake, .arg = &r->ended};
    cancel_watch(f->cancel, &watch);
    bool in_time = completion_wait(&r->ended, earlier(f));
    cancel_unwatch(f->cancel, &watch);
    process_free(process);
    if (!in_time)
        *reterr = STR("it did not finish in time");
    else if (cancel_fired(f->cancel))
        *reterr = STR("cancelled");
    else if (!WIFEXITED(r->status) || WEXITSTATUS(r->status) != 0)
        *reterr = arena_printf(f->a, "it ended with %s %d: " STR_FMT, WIFEXITED(r->status) ? "exit code" : "signal",
                               WIFEXITED(r->status) ? WEXITSTATUS(r->status) : WTERMSIG(r->status),
                               STR_ARG(str_trim(buf_str(&r->err))));
    else
        return true;
    return false;
}

static enum aws_source read_output(struct aws_fetch *f, struct str source, struct str output, const struct aws_keys **ret)
{
    struct diags diags;
    diags_init(&diags, f->a);
    const struct json *j = json_parse(f->a, output, "output", &diags);
    if (!j || j->kind != JSON_OBJECT)
        return aws_failed(f, STR_FMT ": its output is not a JSON object.", STR_ARG(source));
    if (json_int(json_get(j, "Version"), 0) != 1)
        return aws_failed(f, STR_FMT ": its output has no \"Version\": 1.", STR_ARG(source));
    struct aws_keys keys = {
        .access_key = json_text(json_get(j, "AccessKeyId"), STR_EMPTY),
        .secret_key = json_text(json_get(j, "SecretAccessKey"), STR_EMPTY),
        .token = json_text(json_get(j, "SessionToken"), STR_EMPTY),
        .account = json_text(json_get(j, "AccountId"), STR_EMPTY),
        .source = source,
    };
    struct str expiry = json_text(json_get(j, "Expiration"), STR_EMPTY);
    enum aws_source result;
    if (expiry.n > 0 && !timestamp_parse(expiry, &keys.expires))
        result = aws_failed(f, STR_FMT ": Expiration is not a valid time; expected a time such as 2006-01-02T15:04:05Z.",
                            STR_ARG(source));
    else
        result = aws_found(f, &keys, ret);
    str_wipe(keys.secret_key);
    str_wipe(keys.token);
    return result;
}

enum aws_source aws_source_process(struct aws_fetch *f, struct str profile, struct str command, const struct aws_keys **ret)
{
    struct str source = arena_printf(f->a, "credential_process of profile \"" STR_FMT "\"", STR_ARG(profile));
    struct running r = {.out = BUF_INIT(AWS_MAX_SECRET_BODY), .err = BUF_INIT(MAX_ERROR_TEXT)};
    struct str why;
    completion_init(&r.ended);
    enum aws_source result;
    if (!run_command(f, command, &r, &why))
        result = aws_failed(f, STR_FMT ": " STR_FMT ".", STR_ARG(source), STR_ARG(why));
    else if (!buf_ok(&r.out))
        result = aws_failed(f, STR_FMT ": it prints more than %d bytes.", STR_ARG(source), AWS_MAX_SECRET_BODY);
    else
        result = read_output(f, source, buf_str(&r.out), ret);
    completion_destroy(&r.ended);
    buf_wipe(&r.out);
    buf_wipe(&r.err);
    return result;
}
