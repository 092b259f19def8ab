/* Conversion as seen from the types alone. Private to this folder. */
#pragma once

#include "value/type.h"

/*
 * Is there a conversion between two types that are not equal? An unsafe one may still fail for a particular value: text to
 * number, map to object.
 */
bool convert_possible(struct arena *a, const struct type *in, const struct type *out, bool unsafe);

/* The one type that all of these can be converted to, or NULL; DYNAMIC when that depends on parts whose type is open. */
const struct type *unify_types(struct arena *a, const struct type *const *types, size_t n, bool unsafe);
const struct type *unify_attributes(struct arena *a, const struct type *object, bool unsafe);

/* `out`, where each DYNAMIC in it is replaced by what stands at that place in `in`. */
const struct type *convert_fill_dynamic(struct arena *a, const struct type *in, const struct type *out);
