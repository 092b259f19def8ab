/*
 * Values by schema, as a well-behaved provider treats them (docs/core-rules.md 4.7). Pure functions.
 */
#pragma once

#include "schema/schema.h"
#include "value/value.h"

/*
 * Every computed attribute that the configuration leaves null becomes unknown, at any depth. `keep` (may be NULL) is the prior
 * object, whose "id" stays.
 */
const struct value *shape_mark_computed(struct arena *a, const struct schema *s, const struct value *config,
                                        const struct value *planned, const struct value *keep);

/* Write-only attributes become null. */
const struct value *shape_null_write_only(struct arena *a, const struct schema *s, const struct value *v);

/* What the configuration could have said: attributes that are only computed become null. */
const struct value *shape_config_of(struct arena *a, const struct schema *s, const struct value *v);

/* Each unknown becomes a value that depends on its path, its type and the seed alone; `id` takes the place of an unknown "id". */
const struct value *shape_fill(struct arena *a, const struct value *v, struct str id, uint64_t seed);
/* Such a value of this type. */
const struct value *shape_invent(struct arena *a, const struct type *t, struct str what, uint64_t seed);

/* State JSON of another version: attributes the type does not have are dropped, those it lacks are null. */
const struct value *shape_from_json(struct arena *a, const struct json *j, const struct type *t, struct diags *diags);

/* An object of this type with all attributes null but those of `from` (an object, NULL: none) that have the same name and type.
 */
const struct value *shape_pick(struct arena *a, const struct type *object, const struct value *from);
