/*
 * The two sides of a change, before and after, as plan JSON has them. Private to this folder.
 *
 * Plan JSON says in three more trees of the same shape what is not known yet and what is secret; a `true` in them stands for
 * all that is below.
 */
#pragma once

#include "base/json.h"

/* Paths that force a replacement and lead here: their first `depth` steps are those that were taken. */
struct replace_paths {
    const struct json *const *v; /* arrays of steps */
    size_t n, depth;
};

struct sides {
    const struct json *before, *after; /* NULL: null, or not there */
    bool has_before, has_after;        /* is it there, even if null: a null in a list is, an attribute that is not set is not */
    const struct json *unknown, *was_secret, *is_secret; /* NULL: nothing */
    bool modern; /* the old SDK cannot have made the schema: an empty text is not as good as none; see diff.c */
    struct replace_paths replace;
};

/* `change` has the members before, after, after_unknown, before_sensitive, after_sensitive, replace_paths. */
struct sides sides_of_change(const struct json *change);
/* Both sides the same: an object that is shown, not changed. */
struct sides sides_of_object(const struct json *value, const struct json *secret);

/* A member of objects on both sides. */
struct sides sides_member(struct arena *a, const struct sides *s, struct str name);
/* An item of arrays on both sides, which may stand at different places; SIZE_MAX: on that side it is not. */
struct sides sides_item(struct arena *a, const struct sides *s, size_t before, size_t after);
/* As if all of it went away, or all of it were new. */
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

/* Does a change of this very value force a replacement? */
bool sides_force_replacement(const struct sides *s);

/* The names of members on any side, sorted. `of_values`: only those that before and after have. */
struct names {
    const struct str *v;
    size_t n;
};
struct names sides_names(struct arena *a, const struct sides *s, bool of_values);

/* Same value; numbers by their text. NULL is null. */
bool json_same(const struct json *a, const struct json *b);
