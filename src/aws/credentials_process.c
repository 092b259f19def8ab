/*
 * credential_process: a user's command that prints credentials. As in AWS's SDK for Go, it runs in a shell with our environment.
 * Its output is overwritten after it has been read.
 */
#include "aws/credentials_private.h"
#include "loop/capture.h"

static int64_t earlier(const struct aws_fetch *f)
{
    int64_t end = clock_now(&system_clock) + AWS_PROCESS_TIMEOUT_S * NS_PER_S;
    return f->deadline != NO_DEADLINE && f->deadline < end ? f->deadline : end;
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
    return aws_found_json(f, source, j, "SessionToken", ret);
}

enum aws_source aws_source_process(struct aws_fetch *f, struct str profile, struct str command, const struct aws_keys **ret)
{
    static const char *const empty[] = {NULL};
    struct str source = arena_printf(f->a, "credential_process of profile \"" STR_FMT "\"", STR_ARG(profile));
    const char *argv[] = {"/bin/sh", "-c", arena_str(f->a, command).p, NULL};
    struct capture_options options = {
        .loop = f->loop,
        .path = argv[0],
        .argv = argv,
        .env = f->settings->env ? f->settings->env : empty,
        .max_out = AWS_MAX_SECRET_BODY,
        .deadline = earlier(f),
        .cancel = f->cancel,
    };
    struct buf out;
    struct str why;
    enum aws_source result;
    if (capture_run(f->a, &options, &out, &why))
        result = read_output(f, source, buf_str(&out), ret);
    else
        result = aws_failed(f, STR_FMT ": " STR_FMT ".", STR_ARG(source), STR_ARG(why));
    buf_wipe(&out);
    return result;
}
