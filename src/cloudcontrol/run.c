#include "cloudcontrol/run.h"

#include "base/vec.h"

enum { FORGETFUL_POLLS = 5, MAX_TEXT = 64 << 10 };

/* Waiting */

/* Many operations finish before their request is answered, so the first poll comes without a pause. */
static int64_t pause_before(const struct cc_api *api, const struct cc_progress *progress, int n)
{
    const struct http_time *time = aws_caller_time(cc_api_caller(api));
    int64_t hint = progress->retry_after > 0 ? progress->retry_after - aws_caller_now(cc_api_caller(api)) : 0;
    if (hint > 0 && hint <= CC_WAIT_MAX_HINT_S * NS_PER_S)
        return hint;
    if (n == 0)
        return 0;
    int64_t most = CC_WAIT_MAX_S * NS_PER_S;
    int64_t bound = n < 16 ? CC_WAIT_FIRST_MS * NS_PER_MS << (n - 1) : most;
    bound = bound < most ? bound : most;
    return bound / 2 + (int64_t)(time->chance(time) * (double)bound / 2);
}

static enum cc_wait_result result_of(const struct cc_progress *p)
{
    if (p->status == CC_STATUS_SUCCESS)
        return CC_WAIT_DONE;
    if (p->status == CC_STATUS_CANCEL_COMPLETE)
        return CC_WAIT_CANCELLED;
    bool gone = p->operation == CC_OP_DELETE && p->error == CC_HANDLER_NOT_FOUND;
    return gone ? CC_WAIT_DONE : CC_WAIT_FAILED;
}

static enum cc_wait_result result_of_failure(const struct cc_failure *failure)
{
    if (failure->aws.kind == AWS_FAIL_CANCELLED)
        return CC_WAIT_STOPPED;
    return failure->aws.kind == AWS_FAIL_DEADLINE ? CC_WAIT_TIMEOUT : CC_WAIT_ERROR;
}

/* Pauses until the next poll is due. False if the wait is over; *ret_result says why. */
static bool pause_until_due(struct cc_api *api, const struct cc_progress *p, int n, const struct cc_call *call,
                            enum cc_wait_result *ret_result)
{
    const struct http_time *time = aws_caller_time(cc_api_caller(api));
    int64_t pause = pause_before(api, p, n);
    if (call->deadline != NO_DEADLINE) {
        int64_t left = call->deadline - clock_now(time->clock);
        *ret_result = CC_WAIT_TIMEOUT;
        if (left <= 0)
            return false;
        /* Less time is left: poll once more, with a little time for the answer. */
        if (pause >= left)
            pause = left - left / 4;
    }
    *ret_result = CC_WAIT_STOPPED;
    return !cancel_fired(call->cancel) && (pause == 0 || time->pause(time, pause, call->cancel));
}

/* A new request may not be visible yet (eventual consistency). */
static bool is_not_known_yet(const struct cc_failure *failure, int n)
{
    return failure->code == CC_ERROR_REQUEST_TOKEN_NOT_FOUND && n < FORGETFUL_POLLS;
}

static struct str copy_text(struct arena *a, struct str text)
{
    return text.n > 0 ? arena_str(a, text) : STR_EMPTY;
}

/* A copy whose strings are in `a`. */
static struct cc_request_status status_copy(struct arena *a, const struct cc_request_status *from)
{
    struct cc_request_status to = *from;
    struct str *texts[] = {&to.progress.type_name,           &to.progress.identifier,     &to.progress.request_token,
                           &to.progress.hooks_request_token, &to.progress.resource_model, &to.progress.status_message,
                           &to.progress.error_name,          &to.progress.status_name};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        *texts[i] = copy_text(a, *texts[i]);
    struct cc_hook_event *hooks = arena_make_n(a, struct cc_hook_event, from->n_hooks);
    for (size_t i = 0; i < from->n_hooks; i++) {
        hooks[i] = from->hooks[i];
        struct str *parts[] = {&hooks[i].type_name, &hooks[i].type_version,   &hooks[i].type_arn,    &hooks[i].invocation_point,
                               &hooks[i].status,    &hooks[i].status_message, &hooks[i].failure_mode};
        for (size_t k = 0; k < sizeof parts / sizeof parts[0]; k++)
            *parts[k] = copy_text(a, *parts[k]);
    }
    to.hooks = hooks;
    return to;
}

static enum cc_wait_result poll_until_final(struct cc_api *api, struct arena *a, const struct cc_call *call,
                                            struct cc_request_status *status, struct cc_failure *ret_failure)
{
    struct arena *kept = arena_new(NULL, 0), *next = arena_new(NULL, 0); /* of the answer in use, and of the next one */
    const struct str token = status->progress.request_token;
    const enum cc_operation operation = status->progress.operation;
    enum cc_wait_result result = CC_WAIT_ERROR;
    for (int n = 0;; n++) {
        if (cc_status_is_final(status->progress.status)) {
            result = result_of(&status->progress);
            break;
        }
        if (!pause_until_due(api, &status->progress, n, call, &result))
            break;
        struct cc_failure failure;
        arena_reset(next);
        if (cc_api_request_status(api, next, token, call, status, &failure)) {
            struct arena *other = kept;
            kept = next;
            next = other;
            if (status->progress.operation == CC_OP_UNKNOWN)
                status->progress.operation = operation;
        } else if (!is_not_known_yet(&failure, n)) {
            result = result_of_failure(&failure);
            *ret_failure = cc_failure_copy(a, &failure);
            break;
        }
    }
    *status = status_copy(a, status);
    arena_free(kept);
    arena_free(next);
    return result;
}

/* The caller stops waiting; asks the service to cancel the request. */
static void cancel_at_service(struct cc_api *api, struct arena *a, struct cc_request_status *status)
{
    const struct http_time *time = aws_caller_time(cc_api_caller(api));
    struct cc_call call = {.deadline = clock_now(time->clock) + CC_WAIT_CANCEL_S * NS_PER_S};
    struct cc_progress progress;
    struct cc_failure ignored;
    if (cc_api_cancel(api, a, status->progress.request_token, &call, &progress, &ignored))
        status->progress = progress;
}

enum cc_wait_result cc_wait(struct cc_api *api, struct arena *a, const struct cc_progress *begun, const struct cc_wait *wait,
                            struct cc_request_status *ret_status, struct cc_failure *ret_failure)
{
    *ret_status = (struct cc_request_status){.progress = *begun};
    enum cc_wait_result result = poll_until_final(api, a, wait->call, ret_status, ret_failure);
    if (wait->cancel_request && (result == CC_WAIT_STOPPED || result == CC_WAIT_TIMEOUT))
        cancel_at_service(api, a, ret_status);
    return result;
}

/* Texts */

static void add_hooks(struct buf *out, const struct cc_request_status *status)
{
    bool first = true;
    for (size_t i = 0; i < status->n_hooks; i++) {
        const struct cc_hook_event *h = &status->hooks[i];
        if (!str_eqz(h->status, "HOOK_FAILED") && !str_eqz(h->status, "HOOK_COMPLETE_FAILED"))
            continue;
        char when[DATE_TEXT] = "unknown";
        if (h->event_time > 0)
            timestamp_format(h->event_time, when);
        buf_printf(out,
                   "%sHookName: " STR_FMT ", HookArn: " STR_FMT ", HookVersion: " STR_FMT ", Time: %s, HookMessage: " STR_FMT,
                   first ? ". Hook failures: " : "; ", STR_ARG(h->type_name), STR_ARG(h->type_arn), STR_ARG(h->type_version),
                   when, STR_ARG(h->status_message));
        first = false;
    }
}

/* The last known status, for messages. */
static struct str last_status(struct arena *a, const struct cc_progress *p)
{
    const char *name = cc_status_name(p->status);
    if (name)
        return str_of(name);
    return p->status_name.n > 0 ? arena_printf(a, STR_FMT ", which this provider does not know", STR_ARG(p->status_name))
                                : STR("unknown");
}

static struct str token_or_none(const struct cc_request_status *status)
{
    return status->progress.request_token.n > 0 ? status->progress.request_token : STR("unknown");
}

struct str cc_wait_text(struct arena *a, enum cc_wait_result result, const struct cc_request_status *status,
                        const struct cc_failure *failure)
{
    struct buf out BUF_AUTO = BUF_INIT(MAX_TEXT);
    const struct cc_progress *p = &status->progress;
    struct str last = last_status(a, p);
    struct str token = token_or_none(status);
    switch (result) {
    case CC_WAIT_DONE:
        break;
    case CC_WAIT_FAILED:
    case CC_WAIT_CANCELLED:
        buf_printf(&out, "waiter state transitioned to " STR_FMT ". StatusMessage: " STR_FMT, STR_ARG(last),
                   STR_ARG(p->status_message));
        if (p->error_name.n > 0)
            buf_printf(&out, ". ErrorCode: " STR_FMT, STR_ARG(p->error_name));
        add_hooks(&out, status);
        if (result == CC_WAIT_CANCELLED)
            buf_printf(&out, ". The request was cancelled at the service before it was done (request token " STR_FMT ")",
                       STR_ARG(token));
        break;
    case CC_WAIT_STOPPED:
        buf_printf(&out, "stopped while the request was in status " STR_FMT " (request token " STR_FMT "); it may still complete",
                   STR_ARG(last), STR_ARG(token));
        break;
    case CC_WAIT_TIMEOUT:
        buf_printf(&out,
                   "timed out while the request was in status " STR_FMT
                   ". It may still complete. Check it with `aws cloudcontrol get-resource-request-status --request-token " STR_FMT
                   "`",
                   STR_ARG(last), STR_ARG(token));
        break;
    case CC_WAIT_ERROR:
        buf_printf(&out, "cannot get the status of the request: " STR_FMT " (request token " STR_FMT ")",
                   STR_ARG(cc_failure_text(a, failure)), STR_ARG(token));
        break;
    }
    return buf_copy(&out, a);
}

/* Running */

static bool begin_operation(struct cc_api *api, struct arena *a, const struct cc_run *run, struct cc_progress *ret,
                            struct cc_failure *reterr)
{
    if (run->operation == CC_OP_CREATE) {
        struct cc_create_request request = {.type_name = run->type_name, .desired_state = run->desired_state};
        return cc_api_create(api, a, &request, run->wait.call, ret, reterr);
    }
    if (run->operation == CC_OP_UPDATE) {
        struct cc_update_request request = {.type_name = run->type_name, .identifier = run->identifier, .patch = run->patch};
        return cc_api_update(api, a, &request, run->wait.call, ret, reterr);
    }
    struct cc_delete_request request = {.type_name = run->type_name, .identifier = run->identifier};
    return cc_api_delete(api, a, &request, run->wait.call, ret, reterr);
}

/*
 * The maximum number of attempts for an operation with this error. Handlers retry before they fail, so FAILED is final except for
 * throttling, where waiting helps, and faults of the service, where a second attempt costs little.
 */
static int tries_of(enum cc_handler_error error)
{
    switch (error) {
    case CC_HANDLER_THROTTLING:
        return CC_RUN_TRIES;
    case CC_HANDLER_SERVICE_INTERNAL_ERROR:
    case CC_HANDLER_NETWORK_FAILURE:
    case CC_HANDLER_SERVICE_TIMEOUT:
        return CC_RUN_TRIES_BROKEN;
    default:
        return 1;
    }
}

/* Does the object that a failed create names exist? If that is unclear, it counts as existing. */
static bool something_was_left(struct cc_api *api, struct arena *a, const struct cc_run *run, struct str identifier)
{
    const struct http_time *time = aws_caller_time(cc_api_caller(api));
    struct cc_get_request get = {.type_name = run->type_name, .identifier = identifier};
    struct cc_call call = *run->wait.call;
    int64_t soon = clock_now(time->clock) + CC_WAIT_CANCEL_S * NS_PER_S;
    if (call.deadline == NO_DEADLINE || call.deadline > soon)
        call.deadline = soon;
    struct cc_description description;
    struct cc_failure failure;
    return cc_api_get(api, a, &get, &call, &description, &failure) || failure.code != CC_ERROR_RESOURCE_NOT_FOUND;
}

/* The identifier of the object that a failed create left behind; empty if none. */
static struct str left_behind(struct cc_api *api, struct arena *a, const struct cc_run *run, const struct cc_progress *p)
{
    /* An object that already existed was not created by us. */
    if (p->identifier.n == 0 || p->error == CC_HANDLER_ALREADY_EXISTS)
        return STR_EMPTY;
    return something_was_left(api, a, run, p->identifier) ? p->identifier : STR_EMPTY;
}

static bool may_begin_anew(const struct cc_run *run, const struct cc_ran *ran)
{
    enum cc_handler_error error = ran->status.progress.error;
    if (ran->result != CC_WAIT_FAILED || ran->tries >= tries_of(error))
        return false;
    if (run->operation == CC_OP_CREATE)
        return ran->identifier.n == 0;
    return run->operation == CC_OP_DELETE || error == CC_HANDLER_THROTTLING;
}

static void try_once(struct cc_api *api, struct arena *a, const struct cc_run *run, struct cc_ran *ran)
{
    struct cc_progress progress;
    ran->tries++;
    ran->begun = false;
    ran->identifier = run->identifier;
    if (!begin_operation(api, a, run, &progress, &ran->failure)) {
        bool gone = run->operation == CC_OP_DELETE && ran->failure.code == CC_ERROR_RESOURCE_NOT_FOUND;
        ran->result = gone ? CC_WAIT_DONE : result_of_failure(&ran->failure);
        return;
    }
    ran->begun = true;
    progress.operation = run->operation; /* in case the service omits it */
    ran->result = cc_wait(api, a, &progress, &run->wait, &ran->status, &ran->failure);
    ran->status.progress.operation = run->operation;
    if (run->operation != CC_OP_CREATE)
        return;
    const struct cc_progress *last = &ran->status.progress;
    struct str identifier = last->identifier.n > 0 ? last->identifier : progress.identifier;
    ran->status.progress.identifier = identifier;
    ran->identifier = ran->result == CC_WAIT_FAILED ? left_behind(api, a, run, last) : identifier;
}

bool cc_run(struct cc_api *api, struct arena *a, const struct cc_run *run, struct cc_ran *ret)
{
    struct aws_caller *caller = cc_api_caller(api);
    *ret = (struct cc_ran){0};
    do
        try_once(api, a, run, ret);
    while (may_begin_anew(run, ret) &&
           aws_caller_pause(caller, aws_caller_backoff(caller, ret->tries), run->wait.call->cancel, run->wait.call->deadline));
    return ret->result == CC_WAIT_DONE;
}

static const char *call_of(enum cc_operation operation)
{
    if (operation == CC_OP_CREATE)
        return "CreateResource";
    return operation == CC_OP_UPDATE ? "UpdateResource" : "DeleteResource";
}

bool cc_ran_report(const struct cc_ran *ran, enum cc_operation operation, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const char *name = call_of(operation);
    if (!ran->begun)
        return cc_failure_report(&ran->failure, name, diags);
    struct str text = cc_wait_text(scratch, ran->result, &ran->status, &ran->failure);
    struct str tried = ran->tries > 1 ? arena_printf(scratch, " (tried %d times)", ran->tries) : STR_EMPTY;
    if (operation == CC_OP_DELETE) /* awscc does not distinguish errors of the call and of the wait here */
        return diags_fail(diags, "AWS SDK Go Service Operation Unsuccessful",
                          "Calling Cloud Control API service %s operation returned: " STR_FMT STR_FMT, name, STR_ARG(text),
                          STR_ARG(tried));
    return diags_fail(diags, "AWS SDK Go Service Operation Incomplete",
                      "Waiting for Cloud Control API service %s operation completion returned: " STR_FMT STR_FMT, name,
                      STR_ARG(text), STR_ARG(tried));
}
