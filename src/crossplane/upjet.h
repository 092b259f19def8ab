/*
 * Converts the side file of an Upjet provider (the configuration in its Go code, as JSON) to our configuration file, so that the
 * same schema gives the same kinds.
 */
#pragma once

#include "base/buf.h"
#include "base/json.h"

/* Appends the YAML file. Warns about what it cannot express; false and diagnostics if the side file is invalid. */
bool xp_config_from_upjet(struct arena *a, const struct json *side, struct buf *out, struct diags *diags);
