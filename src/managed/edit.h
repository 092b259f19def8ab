/*
 * Edits immutable JSON trees: each function returns a new tree that shares unchanged parts with the old one. The order of members
 * is kept, so an object that was read and written back differs only where it was changed.
 */
#pragma once

#include "base/json.h"

/* Follows a chain of keys, terminated by NULL: managed_at(o, "spec", "forProvider", NULL). */
const struct json *managed_at(const struct json *object, ...) __attribute__((sentinel));
/* Sets that member, or removes it (NULL); creates missing objects on the way. The value precedes the keys. */
const struct json *managed_put(struct arena *a, const struct json *object, const struct json *value, ...)
    __attribute__((sentinel));

/* Appends an element; anything that is not an array counts as an empty one. */
const struct json *managed_append(struct arena *a, const struct json *array, const struct json *item);

static inline bool managed_is_object(const struct json *j)
{
    return j && j->kind == JSON_OBJECT;
}
static inline bool managed_is_array(const struct json *j)
{
    return j && j->kind == JSON_ARRAY;
}
/* Kubernetes treats null as absent. */
static inline bool managed_is_absent(const struct json *j)
{
    return !j || j->kind == JSON_NULL;
}
static inline size_t managed_count(const struct json *j)
{
    return managed_is_array(j) ? j->array.n : managed_is_object(j) ? j->object.n : 0;
}

/* The text of a string; empty for anything else. */
static inline struct str managed_text(const struct json *j)
{
    return j && j->kind == JSON_STRING ? j->text : STR_EMPTY;
}
