/*
 * Descriptions from a provider's documentation, for schemas that have none: the file provider-metadata.yaml that Upjet's scraper
 * writes from the markdown of a provider (resources -> TYPE -> argumentDocs -> path -> text).
 */
#pragma once

#include "base/json.h"

struct xp_docs;

/* Allocates in `a`. NULL and a diagnostic on failure. */
const struct xp_docs *xp_docs_read(struct arena *a, struct str text, const char *source, struct diags *diags);

/*
 * The documentation of an argument and, on a separate line, the schema's description. The argument is found by its whole path,
 * else by its name alone, else by the longest suffix of its path. Sentences about Terraform are dropped, because they do not
 * apply to manifests.
 */
struct str xp_docs_describe(const struct xp_docs *d, struct arena *a, struct str type, struct str path, struct str schema_text);
