/*
 * Values as Go source, as core shows them to provider developers: cty.ListVal([]cty.Value{cty.StringVal("a")}). Private to this
 * folder.
 */
#pragma once

#include "change/walk_private.h"

/* Which parts of the value the schema marks sensitive; NULL: none. */
struct go_secrets {
    const struct schema_attr *attr;   /* the value is of this attribute ... */
    const struct schema_block *block; /* ... or of this block (or list, map, set of it) */
};

/* Secrets are replaced by (sensitive value); text past CHANGE_MAX_TEXT is cut. */
struct str go_text(struct arena *a, const struct value *v, const struct go_secrets *secrets);
