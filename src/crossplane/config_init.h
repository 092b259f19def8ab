/*
 * The configuration file to start from: everything that holds by default, said and explained, and what the schema makes likely
 * (external names, secrets that nobody marked) as comments to look at.
 */
#pragma once

#include "base/buf.h"
#include "schema/schema.h"

void config_write_init(struct buf *out, struct str provider, const struct provider_schema *schema);
