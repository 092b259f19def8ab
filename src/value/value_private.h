/* What the files of this folder share about values. Private to this folder. */
#pragma once

#include "base/buf.h"
#include "value/trail.h"
#include "value/value.h"

/* A container of that very type from an array that it keeps; nothing is checked or sorted. */
const struct value *value_container(struct arena *a, const struct type *t, const struct value *const *elements,
                                    const struct str *keys, size_t n);

/* The type of a collection of these elements when its element type is asked to be `element`. */
const struct type *value_element_type(const struct type *element, const struct value *const *v, size_t n);
/* `v` as a value of type t, where v is of that type or an untyped null or unknown. */
const struct value *value_retype(struct arena *a, const struct value *v, const struct type *t);

/* Text that orders compound values in sets: see order.c. */
enum { VALUE_MAX_ORDER_KEY = 1 << 30 };
/* Sorts as sets are sorted and drops all but the first of equal elements; returns how many are left. */
size_t value_sort_set(struct arena *a, const struct value **v, size_t n);

bool refinement_eq(const struct value_refinement *a, const struct value_refinement *b);

/*
 * Adding to a refinement: the tighter bound stays. False when it contradicts what is there, and nothing changes then.
 */
bool refine_prefix(struct value_refinement *r, struct str prefix);
bool refine_min(struct value_refinement *r, struct number min, bool inclusive);
bool refine_max(struct value_refinement *r, struct number max, bool inclusive);
bool refine_min_length(struct value_refinement *r, int64_t min);
bool refine_max_length(struct value_refinement *r, int64_t max);

/* Adds a diagnostic whose detail starts with the path; NULL, so that decoders return it. */
const void *value_fail(struct diags *diags, struct path path, const char *summary, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
