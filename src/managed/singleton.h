/*
 * Lists of at most one element, which objects show as that element: one to the other and back.
 *
 * A kind's model knows where they are (shape.singleton), and translate.h uses the two rules below. managed_singletons() is for
 * objects of an API version in which they were lists still: there the paths are given.
 */
#pragma once

#include "base/json.h"

/* [value] */
const struct json *managed_wrap(struct arena *a, const struct json *value);
/* The one element; NULL of an empty list or of null. A diagnostic for a longer list and for what is no list; `at` is its path. */
bool managed_unwrap(const struct json *list, struct str at, struct diags *diags, const struct json **ret);

struct managed_singleton {
    struct str path;                  /* of list elements: parent[*].child */
    struct str merge_key;             /* only in the list: a key that was put in for server-side apply; empty: none */
    const struct json *merge_default; /* its value; NULL: "0" */
};

enum managed_direction { MANAGED_LIST_TO_OBJECT, MANAGED_OBJECT_TO_LIST };

bool managed_singletons(struct arena *a, const struct json *object, const struct managed_singleton *singletons, size_t n,
                        enum managed_direction direction, struct diags *diags, const struct json **ret);
