/* Configuration as JSON: what is not known yet, and plain values. Private to this folder. */
#pragma once

#include "change/walk_private.h"

/* Stands in a tree where the value is not known yet; known by its address. */
extern const struct json config_unknown;

/* The configuration with config_unknown wherever `unknown` says true. The trees fit (change_config_fits). */
const struct json *config_merge(struct arena *a, const struct json *config, const struct json *unknown);

struct config_oddity {
    const char *problem; /* why there is no value */
    bool twice;          /* two names in an object are one; the first counts */
};

/* The value that JSON stands for by itself: objects and tuples. NULL when there is none. `ret_odd` starts as all zero. */
const struct value *config_value(struct arena *a, const struct json *j, struct config_oddity *ret_odd);

/* What the name of a member is in the value: names are normalised as texts are, and two may become one. */
struct str config_name(struct arena *a, struct str key);
