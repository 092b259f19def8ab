/*
 * Where in a configuration a diagnostic belongs. A provider names an attribute by the path of its value; the user wrote JSON in
 * which a list block may be a lone object, and may not have written the attribute at all. Core points to the argument if it is
 * there, else to the block that lacks it; so does this, with the path of a place in the JSON.
 */
#pragma once

#include "base/json.h"

/* NULL `config`: there is none, and the place is nowhere. */
struct path place_in_config(struct arena *a, const struct json *config, struct path attribute, enum diag_where *ret);
