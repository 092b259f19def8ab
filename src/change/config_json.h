/* Configuration as JSON: what is not known yet, and plain values. Private to this folder. */
#pragma once

#include "change/parts.h"

/* Stands in a tree where the value is not known yet; known by its address. */
extern const struct json config_unknown;

/* The configuration with config_unknown wherever `unknown` says true. The trees fit (change_config_fits). */
const struct json *config_merge(struct arena *a, const struct json *config, const struct json *unknown);

/* The value that JSON stands for by itself: objects and tuples. NULL, and why in `ret_problem`, when there is none. */
const struct value *config_value(struct arena *a, const struct json *j, const char **ret_problem);
