/*
 * The two sides of a change, before and after, as in plan JSON. Private to this folder.
 *
 * Plan JSON has three more trees of the same shape, which say what is not known yet and what is sensitive; a `true` in them
 * applies to everything below it.
 */
#pragma once

#include "base/json.h"

/* The replace_paths that lead to or through this value: their first `depth` steps are the path to it. */
struct replace_paths {
    const struct json *const *v; /* arrays of steps */
    size_t n, depth;
};

struct sides {
    const struct json *before, *after; /* NULL: null or absent */
    bool has_before, has_after;        /* false if absent; a null in a list is not absent, an attribute that is not set is */
    const struct json *unknown, *was_secret, *is_secret; /* NULL: nothing */
    bool modern; /* the schema cannot be from the old SDK, so an empty string differs from null; see diff.c */
    struct replace_paths replace;
};

/* `change` has the members before, after, after_unknown, before_sensitive, after_sensitive, replace_paths. */
struct sides sides_of_change(const struct json *change);
/* Both sides are the same: for an object that is shown without a change. */
struct sides sides_of_object(const struct json *value, const struct json *secret);

/* A member of the objects on both sides. */
struct sides sides_member(struct arena *a, const struct sides *s, struct str name);
/* An item of the arrays on both sides, which may have different positions; SIZE_MAX: not on that side. */
struct sides sides_item(struct arena *a, const struct sides *s, size_t before, size_t after);
/* The same as if the whole value were deleted, or created. */
struct sides sides_deleted(const struct sides *s);
struct sides sides_created(const struct sides *s);

static inline bool json_is_true(const struct json *j)
{
    return j && j->kind == JSON_BOOL && j->boolean;
}
static inline size_t json_length(const struct json *j)
{
    return j && j->kind == JSON_ARRAY ? j->array.n : 0;
}

static inline const struct json *json_item(const struct json *j, size_t i)
{
    return i < json_length(j) ? j->array.items[i] : NULL;
}

/* Does a change of exactly this value force a replacement? */
bool sides_force_replacement(const struct sides *s);

/* The names of members on both sides and in the other trees, sorted. `of_values`: only those of `before` and `after`. */
struct names {
    const struct str *v;
    size_t n;
};
struct names sides_names(struct arena *a, const struct sides *s, bool of_values);

/* Same value; numbers by their text. NULL is null. */
bool json_same(const struct json *a, const struct json *b);
