/*
 * Schemas on disk, so that a schema can be had without starting the provider: both responses as received, under a key that
 * identifies the binary's content.
 *
 * Files have mode 0600, are written atomically and have a checksum; a damaged file counts as absent.
 */
#pragma once

#include "plugin/provider.h"

/*
 * Is the schema determined by the binary's content alone? Not for awscc: ours takes it from a pack and has two modes (and answers
 * as fast as a file is read).
 */
bool schema_cache_serves(const char *binary);

/*
 * Should this schema be cached? One without any type or function may come from a provider with a temporary problem; asking again
 * costs a start, but caching it would make the provider useless until its binary changes. (A response with errors does not give a
 * schema at all.)
 */
bool schema_cache_keeps(const struct provider_schema *schema);

/* False when there is no usable file. */
bool schema_cache_load(struct arena *a, const char *folder, struct str key, struct schema_bytes *ret);
bool schema_cache_store(const char *folder, struct str key, const struct schema_bytes *bytes, struct diags *diags);
