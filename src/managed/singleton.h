/*
 * Conversion between lists of at most one element and the single object that managed resources show instead.
 *
 * A kind's model knows these lists (shape.singleton), and translate.h uses the first two functions. managed_singletons() converts
 * objects of API versions in which they were still lists: there the caller gives the paths.
 */
#pragma once

#include "base/json.h"

/* [value] */
const struct json *managed_wrap(struct arena *a, const struct json *value);
/* The one element; NULL for an empty list or null. A diagnostic for a longer list and for anything else; `at` is its path. */
bool managed_unwrap(const struct json *list, struct str at, struct diags *diags, const struct json **ret);

struct managed_singleton {
    struct str path;                  /* with wildcards for list elements: parent[*].child */
    struct str merge_key;             /* key that only the list elements have, for server-side apply; empty: none */
    const struct json *merge_default; /* its value; NULL: "0" */
};

enum managed_direction { MANAGED_LIST_TO_OBJECT, MANAGED_OBJECT_TO_LIST };

bool managed_singletons(struct arena *a, const struct json *object, const struct managed_singleton *singletons, size_t n,
                        enum managed_direction direction, struct diags *diags, const struct json **ret);
