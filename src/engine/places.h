/*
 * Finds the place in a configuration that a diagnostic is about. A provider names an attribute by the path of its value; in the
 * user's JSON a block of a list may be a single object, and the attribute may be absent. Like core, this points to the argument
 * if it is there, else to the block that lacks it, as a path in the JSON.
 */
#pragma once

#include "base/json.h"

/* NULL `config`: there is no configuration, and *ret says that the diagnostic has no place in it. */
struct path place_in_config(struct arena *a, const struct json *config, struct path attribute, enum diag_where *ret);
