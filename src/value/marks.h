/*
 * Marks: the paths of a value that are sensitive. They are kept separately from the value, so codecs never see them.
 *
 * A list is sorted and has no duplicates, so two lists can be compared element by element.
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
/* True when the value at this path, or one that contains it, is marked. */
bool marks_cover(struct marks m, struct path path);
