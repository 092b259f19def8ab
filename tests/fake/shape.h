/* Transforms values by their schema, as a well-behaved provider does (docs/core-rules.md 4.7). Pure functions. */
#pragma once

#include "schema/schema.h"
#include "value/value.h"

/*
 * Makes every computed attribute that is null in the configuration unknown, at any depth. `keep` (may be NULL) is the prior
 * object, whose "id" is kept.
 */
const struct value *shape_mark_computed(struct arena *a, const struct schema *s, const struct value *config,
                                        const struct value *planned, const struct value *keep);

/* Write-only attributes become null. */
const struct value *shape_null_write_only(struct arena *a, const struct schema *s, const struct value *v);

/* The configuration that may have led to a state: attributes that are only computed become null. */
const struct value *shape_config_of(struct arena *a, const struct schema *s, const struct value *v);

/* Each unknown becomes a value that depends only on its path, its type and the seed; `id` replaces an unknown "id". */
const struct value *shape_fill(struct arena *a, const struct value *v, struct str id, uint64_t seed);
/* Such a value of type `t`. */
const struct value *shape_invent(struct arena *a, const struct type *t, struct str what, uint64_t seed);

/* Reads state JSON of another version: attributes that the type lacks are dropped, missing ones are null. */
const struct value *shape_from_json(struct arena *a, const struct json *j, const struct type *t, struct diags *diags);

/*
 * An object of this type: attributes with the same name and type are taken from `from` (an object, NULL: none), the others are
 * null.
 */
const struct value *shape_pick(struct arena *a, const struct type *object, const struct value *from);
