/*
 * Writes an initial configuration file: all defaults, explained, and as comments what the schema suggests (external names,
 * secrets that are not marked sensitive) for users to review.
 */
#pragma once

#include "crossplane/config.h"
#include "schema/schema.h"

/* `c` is the configuration without the file. `over` (NULL: none) is a shipped file that the new file extends: then all settings
 * are comments, because each would override the shipped one. */
void xp_config_write_init(struct buf *out, const struct xp_config *c, const char *over, const struct provider_schema *schema);
