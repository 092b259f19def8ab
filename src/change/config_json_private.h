/* Configuration as JSON: unknown values, and values without a schema. Private to this folder. */
#pragma once

#include "change/walk_private.h"

/* Marks a place in a tree where the value is not known yet; compared by address. */
extern const struct json config_unknown;

/* The configuration with config_unknown wherever `unknown` says true. The trees fit (change_config_fits). */
const struct json *config_merge(struct arena *a, const struct json *config, const struct json *unknown);

struct config_oddity {
    const char *problem; /* why the JSON cannot be converted */
    bool twice;          /* two member names of an object are equal after normalisation; the first one counts */
};

/* The value of JSON without a schema: objects and tuples. NULL when there is none. The caller sets `*ret_odd` to zero first. */
const struct value *config_value(struct arena *a, const struct json *j, struct config_oddity *ret_odd);

/* The name of a member in the value: names are normalised like all strings, so two names may become equal. */
struct str config_name(struct arena *a, struct str key);
