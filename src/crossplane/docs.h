/*
 * Descriptions from a provider's documentation, for schemas that have none: the file provider-metadata.yaml that Upjet's scraper
 * writes from the markdown of a provider (resources -> TYPE -> argumentDocs -> path -> text).
 */
#pragma once

#include "base/json.h"

struct xp_docs;

/* NULL and a diagnostic; what it returns lives in `a`. */
const struct xp_docs *xp_docs_read(struct arena *a, struct str text, const char *source, struct diags *diags);

/*
 * The text for an argument and, on a line of its own, what the schema says. The argument is found by its whole path, else by its
 * name alone, else by the longest end of its path. Sentences that speak of Terraform are left out: a manifest is none.
 */
struct str xp_docs_describe(const struct xp_docs *d, struct arena *a, struct str type, struct str path, struct str schema_text);
