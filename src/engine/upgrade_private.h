/* Stored objects in the form in which they are sent to a provider. Private to this folder. */
#pragma once

#include "engine/engine.h"

/* `only` (may be NULL): leave out what this type does not have. */
bool upgrade_raw_json(struct engine *e, const struct json *attributes, const struct type *only, struct str *ret);
bool upgrade_raw_state(struct engine *e, const struct state_instance *stored, const struct type *only, struct raw_state *ret);
