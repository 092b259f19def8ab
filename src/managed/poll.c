#include "managed/poll.h"

#include "base/duration.h"
#include "managed/object.h"

int64_t managed_poll_interval(const struct managed_poll *p, const struct json *object)
{
    int64_t wanted;
    if (!duration_parse(managed_annotation(object, MANAGED_POLL_INTERVAL), &wanted))
        return p->interval_ns;
    return wanted < p->min_ns ? p->min_ns : wanted;
}

int64_t managed_poll_after(const struct managed_poll *p, const struct json *object, uint64_t random)
{
    int64_t interval = managed_poll_interval(p, object);
    if (p->jitter_ns <= 0)
        return interval;
    int64_t shift = (int64_t)(random % ((uint64_t)p->jitter_ns * 2 + 1)) - p->jitter_ns;
    if (interval > INT64_MAX - p->jitter_ns)
        return interval;
    return interval + shift > 0 ? interval + shift : 0;
}

bool managed_reconcile_requested(const struct json *object)
{
    struct str asked = managed_annotation(object, MANAGED_RECONCILE_REQUESTED);
    struct str handled = managed_text(managed_at(object, "status", "lastHandledReconcileAt", NULL));
    return asked.n > 0 && !str_eq(asked, handled);
}

const struct json *managed_reconcile_handled(struct arena *a, const struct json *object)
{
    if (!managed_reconcile_requested(object))
        return object;
    struct str asked = managed_annotation(object, MANAGED_RECONCILE_REQUESTED);
    return managed_put(a, object, json_make_string(a, asked), "status", "lastHandledReconcileAt", NULL);
}
