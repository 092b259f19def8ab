#include "managed/poll.h"
#include "reconcile/pass_private.h"

enum { MAX_MESSAGE = 32 << 10 };

int64_t pass_now(const struct pass *p)
{
    return p->options->clock->wall_ns(p->options->clock);
}

struct str pass_wrap(const struct pass *p, const char *what, struct str message)
{
    return arena_printf(p->arena, "%s: " STR_FMT, what, STR_ARG(message));
}

/* Cuts a message to the API's limit, at a character boundary. */
static struct str cut(struct str message)
{
    size_t n = message.n < MAX_MESSAGE ? message.n : MAX_MESSAGE;
    while (n < message.n && n > 0 && ((unsigned char)message.p[n] & 0xc0) == 0x80)
        n--;
    return str_slice(message, 0, n);
}

void pass_set(struct pass *p, const char *type, const char *status, const char *reason, struct str message)
{
    const struct managed_condition condition = {.type = str_of(type),
                                                .status = str_of(status),
                                                .reason = str_of(reason),
                                                .message = cut(message),
                                                .observed_generation = managed_generation(p->object)};
    p->object = managed_set_condition(p->arena, p->object, &condition, pass_now(p));
}

void pass_set_creating(struct pass *p)
{
    pass_set(p, PASS_READY, "False", "Creating", STR_EMPTY);
}

void pass_set_deleting(struct pass *p)
{
    pass_set(p, PASS_READY, "False", "Deleting", STR_EMPTY);
}

void pass_set_error(struct pass *p, struct str message)
{
    pass_set(p, PASS_SYNCED, "False", "ReconcileError", message);
}

void pass_set_success(struct pass *p)
{
    pass_set(p, PASS_SYNCED, "True", "ReconcileSuccess", STR_EMPTY);
}

void pass_tell(struct pass *p, bool warning, const char *reason, struct str message)
{
    const struct reconcile_event event = {
        .warning = warning,
        .reason = reason,
        .message = message,
        .external_name = managed_annotation(p->object, MANAGED_EXTERNAL_NAME),
    };
    p->objects->event(p->objects->ctx, p->object, &event);
}

bool pass_end(struct pass *p, enum reconcile_again again, int64_t after_ns)
{
    p->result.again = again;
    p->result.after_ns = after_ns;
    return true;
}

bool pass_end_with_status(struct pass *p, enum reconcile_again again, int64_t after_ns)
{
    p->object = managed_reconcile_handled(p->arena, p->object);
    struct reconcile_answer answer = p->objects->update_status(p->objects->ctx, &p->call, &p->object);
    p->conflict = answer.status == RECONCILE_CONFLICT;
    if (p->conflict)
        return pass_end(p, RECONCILE_WITH_BACKOFF, 0);
    if (answer.status != RECONCILE_OK)
        p->result.error = pass_wrap(p, "cannot update managed resource status", answer.message);
    return pass_end(p, again, after_ns);
}

bool pass_end_until_poll(struct pass *p)
{
    return pass_end_with_status(p, RECONCILE_AFTER, p->options->poll_after(p->options->poll_ctx, p->object));
}

bool pass_fail(struct pass *p, struct reconcile_answer answer, const char *reason, struct str event, struct str condition)
{
    if (answer.status == RECONCILE_CONFLICT)
        return pass_end(p, RECONCILE_WITH_BACKOFF, 0);
    if (reason)
        pass_tell(p, true, reason, event);
    pass_set_error(p, condition);
    return pass_end_with_status(p, RECONCILE_WITH_BACKOFF, 0);
}

void pass_log_change(struct pass *p, enum reconcile_operation operation, struct str error)
{
    if (p->objects->change_log)
        p->objects->change_log(p->objects->ctx, p->object, operation, error);
}

struct reconcile_answer pass_write_object(struct pass *p, pass_write_function *write)
{
    const struct json *status = json_get(p->object, "status");
    struct reconcile_answer answer = write(p->objects->ctx, &p->call, &p->object);
    if (!pass_failed(answer) && status)
        p->object = managed_put(p->arena, p->object, status, "status", NULL);
    return answer;
}
