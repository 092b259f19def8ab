/* What the files of this folder share about values. Private to this folder. */
#pragma once

#include "base/buf.h"
#include "value/trail.h"
#include "value/value.h"

/* A container of exactly this type that keeps the given array; nothing is checked or sorted. */
const struct value *value_container(struct arena *a, const struct type *t, const struct value *const *elements,
                                    const struct str *keys, size_t n);

/* Is each key greater than the one before? */
bool value_keys_ascend(const struct str *keys, size_t n);

/* The element type of a collection of these values when the caller asks for `element`. */
const struct type *value_element_type(const struct type *element, const struct value *const *v, size_t n);
/* `v` as a value of type t; `v` must have that type or be an untyped null or unknown. */
const struct value *value_retype(struct arena *a, const struct value *v, const struct type *t);

/* Limit of the text by which compound values are ordered in sets: see order.c. */
enum { VALUE_MAX_ORDER_KEY = 1 << 30 };
/* Sorts in the order of sets and drops all but the first of equal elements; returns how many are left. */
size_t value_sort_set(struct arena *a, const struct value **v, size_t n);

bool refinement_eq(const struct value_refinement *a, const struct value_refinement *b);

/*
 * Add a bound to a refinement; the tighter bound is kept. False, and no change, when it contradicts the refinement.
 */
bool refine_prefix(struct value_refinement *r, struct str prefix);
bool refine_min(struct value_refinement *r, struct number min, bool inclusive);
bool refine_max(struct value_refinement *r, struct number max, bool inclusive);
bool refine_min_length(struct value_refinement *r, int64_t min);
bool refine_max_length(struct value_refinement *r, int64_t max);

/* Adds a diagnostic whose detail starts with the path. Returns NULL, so that decoders can return its result. */
const void *value_fail(struct diags *diags, struct path path, const char *summary, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
