/*
 * When an object is looked at again though nothing has changed, and requests to look at once.
 */
#pragma once

#include "base/json.h"

struct managed_poll {
    int64_t interval_ns; /* for all objects */
    int64_t min_ns;      /* what an annotation may ask for at least */
    int64_t jitter_ns;   /* added or taken away at random, up to so much */
};

/* The interval of this object: that of its annotation, not below the minimum; else that of all. */
int64_t managed_poll_interval(const struct managed_poll *p, const struct json *object);
/* The same with jitter; `random` is any number (base/random.h). Never negative. */
int64_t managed_poll_after(const struct managed_poll *p, const struct json *object, uint64_t random);

/* Is there a request that was not handled yet? */
bool managed_reconcile_requested(const struct json *object);
/* The object whose status says that it was; the same object when there is no request. */
const struct json *managed_reconcile_handled(struct arena *a, const struct json *object);
