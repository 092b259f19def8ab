/*
 * Schemas on disk, so that asking for one need not start the provider: the two answers as they came over the wire, under a
 * key that stands for the binary's content.
 *
 * Files are 0600, written whole or not at all, and carry a checksum: a damaged one is as good as none.
 */
#pragma once

#include "plugin/provider.h"

/*
 * Does the binary's content alone decide its schema? Not that of awscc: ours takes it from a pack and has two modes, and answers
 * as fast as a file is read.
 */
bool schema_cache_serves(const char *binary);

/*
 * Is this schema worth keeping? One without any type or function may be the answer of a provider that was not well; to ask it
 * again costs a start, to keep it would make the provider useless until its binary changes. (Answers with errors are no schema at
 * all.)
 */
bool schema_cache_keeps(const struct provider_schema *schema);

/* False when there is none, or none that can be used. */
bool schema_cache_load(struct arena *a, const char *folder, struct str key, struct schema_bytes *ret);
bool schema_cache_store(const char *folder, struct str key, const struct schema_bytes *bytes, struct diags *diags);
