/* Which types can be converted to which. Private to this folder. */
#pragma once

#include "value/type.h"

/*
 * True when there is a conversion between two different types. `unsafe` also allows conversions that fail for some values, such
 * as string to number or map to object.
 */
bool convert_possible(struct arena *a, const struct type *in, const struct type *out, bool unsafe);

/* The single type that all of these can be converted to, or NULL; DYNAMIC when that depends on parts whose type is not known
 * yet. */
const struct type *unify_types(struct arena *a, const struct type *const *types, size_t n, bool unsafe);
const struct type *unify_attributes(struct arena *a, const struct type *object, bool unsafe);

/* Returns `out` with each DYNAMIC in it replaced by the type at the same place in `in`. */
const struct type *convert_fill_dynamic(struct arena *a, const struct type *in, const struct type *out);
