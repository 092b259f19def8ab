/*
 * From Upjet: the side file of a provider that was built with it (what its Go code configures, as JSON) becomes our configuration
 * file, so that the same schema gives the same kinds.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

/* Appends the YAML file. What cannot be said in it is a warning; false and diagnostics when the side file is not one. */
bool xp_config_from_upjet(struct arena *a, const struct json *side, struct buf *out, struct diags *diags);
