/*
 * The position of a walk over a value: a linked list of steps on the walker's stack, converted to a path only when one is needed,
 * for an error or a finding. Every walk over values and schemas uses it.
 */
#pragma once

#include "value/value.h"

struct trail {
    const struct trail *up; /* NULL: the root */
    struct path_step step;
};

/* The steps of `at` followed by those of the trail. */
struct path trail_path(struct arena *a, struct path at, const struct trail *trail);

/* The step from a known value to its element i: an attribute, key, index or set element. */
struct path_step value_step(const struct value *v, size_t i);

static inline struct trail trail_attr(const struct trail *up, struct str name)
{
    return (struct trail){up, {.kind = PATH_ATTR, .name = name}};
}
static inline struct trail trail_element(const struct trail *up, const struct value *v, size_t i)
{
    return (struct trail){up, value_step(v, i)};
}
