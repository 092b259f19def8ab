/*
 * What an API server does to an object before it stores it, as pure functions. The store supplies time, uid and randomness, and
 * writes what they return.
 */
#pragma once

#include "base/clock.h"
#include "store/store.h"

enum rules_action {
    RULES_KEEP,   /* nothing changes: do not write */
    RULES_WRITE,  /* store `object` with a new resourceVersion */
    RULES_REMOVE, /* delete the object; `object` is what the caller receives */
};

struct rules_answer {
    enum rules_action action;
    const struct json *object;
};

struct rules_moment {
    struct str uid;
    struct str time;   /* in the format of metadata's timestamps */
    struct str suffix; /* for generateName: five random characters */
};
/* moment.c: the current time, with a new uid and suffix each time. */
struct rules_moment rules_now(struct arena *a, const struct clock *clock);
struct str rules_time(struct arena *a, const struct clock *clock);

/* Can the object be stored: apiVersion, kind, names within their limits, metadata of the right types? */
enum store_result rules_check(const struct json *object, struct diags *diags);

enum store_result rules_create(struct arena *a, const struct json *object, const struct rules_moment *now, struct diags *diags,
                               const struct json **ret);
/* `old` is the object as stored now. */
enum store_result rules_update(struct arena *a, const struct json *old, const struct json *object, struct diags *diags,
                               struct rules_answer *ret);
enum store_result rules_update_status(struct arena *a, const struct json *old, const struct json *object, struct diags *diags,
                                      struct rules_answer *ret);
enum store_result rules_remove(struct arena *a, const struct json *old, const struct store_preconditions *must, struct str time,
                               struct diags *diags, struct rules_answer *ret);
