/*
 * Marks, kept beside the value: which paths are sensitive. Codecs never see them.
 *
 * A list is sorted and has no duplicates, so two lists compare by element.
 */
#pragma once

#include "value/value.h"

struct marks {
    const struct path *paths;
    size_t n;
};

struct marks marks_make(struct arena *a, const struct path *paths, size_t n);
struct marks marks_union(struct arena *a, struct marks x, struct marks y);
bool marks_eq(struct marks x, struct marks y);
/* Is the value at this path, or something that contains it, marked? */
bool marks_cover(struct marks m, struct path path);
