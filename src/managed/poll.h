/* When an unchanged object is checked again, and requests to reconcile at once. */
#pragma once

#include "base/json.h"

struct managed_poll {
    int64_t interval_ns; /* for all objects */
    int64_t min_ns;      /* the minimum for annotations */
    int64_t jitter_ns;   /* random offset of up to this, in both directions */
};

/* The interval of this object: its annotation's, but at least the minimum; otherwise the common one. */
int64_t managed_poll_interval(const struct managed_poll *p, const struct json *object);
/* The same with jitter; `random` is any number (base/random.h). Never negative. */
int64_t managed_poll_after(const struct managed_poll *p, const struct json *object, uint64_t random);

/* Is there an unhandled request to reconcile? */
bool managed_reconcile_requested(const struct json *object);
/* The object with the request marked as handled in its status; the same object when there is no request. */
const struct json *managed_reconcile_handled(struct arena *a, const struct json *object);
