/*
 * Trees of JSON changed without changing them: each function gives a new tree that shares with the old one whatever is the same.
 * Also the order of members stays, so that an object that was read and written back differs only where it was changed.
 */
#pragma once

#include "base/json.h"

/* The member at the end of a chain of keys, NULL behind them: managed_at(o, "spec", "forProvider", NULL). */
const struct json *managed_at(const struct json *object, ...) __attribute__((sentinel));
/* The object with that member set, or taken away; objects on the way are made as needed. The value comes first. */
const struct json *managed_put(struct arena *a, const struct json *object, const struct json *value, ...)
    __attribute__((sentinel));

/* The array with one more element; what is no array counts as an empty one. */
const struct json *managed_append(struct arena *a, const struct json *array, const struct json *item);

static inline bool managed_is_object(const struct json *j)
{
    return j && j->kind == JSON_OBJECT;
}
static inline bool managed_is_array(const struct json *j)
{
    return j && j->kind == JSON_ARRAY;
}
/* Kubernetes makes no difference between null and absent. */
static inline bool managed_is_absent(const struct json *j)
{
    return !j || j->kind == JSON_NULL;
}
static inline size_t managed_count(const struct json *j)
{
    return managed_is_array(j) ? j->array.n : managed_is_object(j) ? j->object.n : 0;
}

/* The text of a string, and of nothing else. */
static inline struct str managed_text(const struct json *j)
{
    return j && j->kind == JSON_STRING ? j->text : STR_EMPTY;
}
