/*
 * Values of the Terraform language: immutable, arena-owned, never freed singly.
 *
 * A value knows its type. It is known, null or unknown; an unknown may be refined (what is already certain about it). Marks
 * (sensitive) are kept outside, as lists of paths: see marks.h.
 *
 * Invariants
 * - strings are valid UTF-8 in NFC;
 * - object: one value per attribute of the type, in the type's order; map: keys sorted bytewise, unique;
 * - set: elements in canonical order (value_cmp), no two known equal elements;
 * - elements of a collection have exactly its element type, unless that type is or contains DYNAMIC (value_list and its kin
 * assert);
 * - a value whose type is DYNAMIC is null or unknown, without refinement.
 */
#pragma once

#include "base/path.h"
#include "value/number.h"
#include "value/type.h"

enum value_state { VALUE_KNOWN, VALUE_NULL, VALUE_UNKNOWN };

struct value_refinement {
    bool not_null;
    struct str prefix;     /* STRING; empty: none */
    bool has_min, has_max; /* NUMBER bounds */
    bool min_inclusive, max_inclusive;
    struct number min, max;
    bool has_min_length, has_max_length; /* collections */
    int64_t min_length, max_length;
};

struct value {
    const struct type *type;
    enum value_state state;
    bool wholly_known; /* no unknown anywhere inside */
    size_t n;          /* elements of LIST, SET, MAP, OBJECT, TUPLE */
    union {
        bool boolean;
        struct number number;
        struct str string;
        struct {
            const struct value *const *elements;
            const struct str *keys; /* MAP only */
        };
        const struct value_refinement *refinement; /* UNKNOWN; NULL: none */
    };
};

/* Constructors. Those that take outside text check it; the others assert. */
const struct value *value_null(struct arena *a, const struct type *t);
const struct value *value_unknown(struct arena *a, const struct type *t);
/* A refinement that says nothing, or one on DYNAMIC, gives a plain unknown. Certain cases collapse: equal bounds to a number. */
const struct value *value_unknown_refined(struct arena *a, const struct type *t, const struct value_refinement *r);
const struct value *value_bool(struct arena *a, bool b);
const struct value *value_number(struct arena *a, struct number n);
const struct value *value_int(struct arena *a, int64_t i);
/* Normalised to NFC; NULL if the text is not UTF-8. */
const struct value *value_string(struct arena *a, struct str text);
const struct value *value_list(struct arena *a, const struct type *element, const struct value *const *v, size_t n);
const struct value *value_tuple(struct arena *a, const struct value *const *v, size_t n);
/* Sorts and removes duplicates. */
const struct value *value_set(struct arena *a, const struct type *element, const struct value *const *v, size_t n);
/* Sorts by key; keys NFC; a later duplicate wins. */
const struct value *value_map(struct arena *a, const struct type *element, const struct str *keys, const struct value *const *v,
                              size_t n);
/* One value per attribute, in the type's order. The object's own type is `t` with each DYNAMIC attribute replaced by its value's
 * type. */
const struct value *value_object(struct arena *a, const struct type *t, const struct value *const *v);

static inline bool value_is_null(const struct value *v)
{
    return v->state == VALUE_NULL;
}
static inline bool value_is_known(const struct value *v)
{
    return v->state != VALUE_UNKNOWN; /* null is known */
}

/* Of an object or a map; NULL when absent (or the object is null or unknown). */
const struct value *value_get(const struct value *v, struct str name);

/* Deep copy into another arena, type included. */
const struct value *value_copy(struct arena *a, const struct value *v);

/* Same type, same null/unknown state, same refinements, deep. */
bool value_raw_eq(const struct value *a, const struct value *b);

/* As the language's == : unknown when that depends on an unknown part; numbers by value, sets as sets, nulls of one type equal.
 */
enum tristate { TRI_FALSE, TRI_TRUE, TRI_UNKNOWN };
enum tristate value_equals(const struct value *a, const struct value *b);

/* Raw equality when every unknown is replaced by a plain unknown of its type. */
bool value_eq_ignoring_refinements(struct arena *a, const struct value *x, const struct value *y);

/* Total order within one type, the order of set elements: strings bytewise, numbers by value, false before true, null last,
 * unknown after known; compound values by a stable hash of their content, then by content. */
int value_cmp(const struct value *a, const struct value *b);
uint64_t value_hash(const struct value *v); /* stable across processes */

/* The value at the path; NULL when the path leads nowhere. */
const struct value *value_at(const struct value *v, struct path path);

/* A new value with each node replaced by fn's answer (children first); fn returns its argument to keep it. */
typedef const struct value *value_transform_fn(void *ctx, struct arena *a, struct path path, const struct value *v);
const struct value *value_transform(struct arena *a, const struct value *v, value_transform_fn *fn, void *ctx);

/* Visits every node, parents first; fn returns false to skip what is inside. */
typedef bool value_walk_fn(void *ctx, struct path path, const struct value *v);
void value_walk(struct arena *a, const struct value *v, value_walk_fn *fn, void *ctx);

/* Every unknown replaced by a null of its type. */
const struct value *value_unknown_to_null(struct arena *a, const struct value *v);
/* Every unknown without its refinements. */
const struct value *value_plain_unknowns(struct arena *a, const struct value *v);
