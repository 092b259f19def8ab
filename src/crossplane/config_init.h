/*
 * The configuration file to start from: everything that holds by default, said and explained, and what the schema makes likely
 * (external names, secrets that nobody marked) as comments to look at.
 */
#pragma once

#include "crossplane/config.h"
#include "schema/schema.h"

/* `c` is what holds without the file. `over` (a file that Terrane ships; NULL: none) is what the new one lies over: nothing is
 * said then, only explained, as every line would replace what is in there. */
void xp_config_write_init(struct buf *out, const struct xp_config *c, const char *over, const struct provider_schema *schema);
