/*
 * What the API server does to an object before it is stored, as pure functions. The store gives time, uid and randomness, and
 * writes what they return.
 */
#pragma once

#include "base/clock.h"
#include "store/store.h"

enum rules_action {
    RULES_KEEP,   /* nothing changes: nothing is written */
    RULES_WRITE,  /* `object` is to be stored, with a new resourceVersion */
    RULES_REMOVE, /* the object goes; `object` is what the caller gets to see */
};

struct rules_answer {
    enum rules_action action;
    const struct json *object;
};

struct rules_moment {
    struct str uid;
    struct str time;   /* RULES_TIME: as metadata has it */
    struct str suffix; /* for generateName: five random characters */
};
/* moment.c: now, with another uid and suffix each time. */
struct rules_moment rules_now(struct arena *a, const struct clock *clock);
struct str rules_time(struct arena *a, const struct clock *clock);

/* Enough to be stored: apiVersion, kind, names within their bounds, metadata of the right shapes. */
enum store_result rules_check(const struct json *object, struct diags *diags);

enum store_result rules_create(struct arena *a, const struct json *object, const struct rules_moment *now, struct diags *diags,
                               const struct json **ret);
/* `old` is the object as it is stored now. */
enum store_result rules_update(struct arena *a, const struct json *old, const struct json *object, struct diags *diags,
                               struct rules_answer *ret);
enum store_result rules_update_status(struct arena *a, const struct json *old, const struct json *object, struct diags *diags,
                                      struct rules_answer *ret);
enum store_result rules_remove(struct arena *a, const struct json *old, const struct store_preconditions *must, struct str time,
                               struct diags *diags, struct rules_answer *ret);
