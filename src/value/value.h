/*
 * Values of the Terraform language: immutable and owned by an arena.
 *
 * A value has a type and is known, null or unknown. An unknown value may have a refinement, which says what is already certain
 * about it. Marks (sensitive) are kept separately, as lists of paths: see marks.h.
 *
 * Invariants
 * - strings are valid UTF-8 in NFC;
 * - the type has no optional attributes (type->plain is itself);
 * - object: one value per attribute of the type, in the type's order; map: keys sorted bytewise, unique;
 * - set: elements in canonical order (see value_cmp), no two known equal elements;
 * - each element has exactly the type that its container's type requires (value_list and similar functions assert this). If the
 *   requested element type of a collection is or contains DYNAMIC, the collection takes the type of its elements, which must all
 *   have the same type;
 * - a value whose type is DYNAMIC is null or unknown, without a refinement.
 */
#pragma once

#include "base/path.h"
#include "value/number.h"
#include "value/type.h"

/* The longest list that an unknown list of known length is turned into. */
enum { VALUE_MAX_COLLAPSE = 4096 };

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
/*
 * An empty refinement, or one on DYNAMIC, gives a plain unknown. If the value is known not to be null, some refinements determine
 * it: equal bounds give that number, length 0 gives the empty collection, a known length gives a list of unknowns (up to
 * VALUE_MAX_COLLAPSE), length 1 gives a set of one unknown. Bounds must not contradict each other.
 */
const struct value *value_unknown_refined(struct arena *a, const struct type *t, const struct value_refinement *r);
const struct value *value_bool(struct arena *a, bool b);
const struct value *value_number(struct arena *a, struct number n);
const struct value *value_int(struct arena *a, int64_t i);
/* Normalises the text to NFC; NULL if it is not UTF-8. */
const struct value *value_string(struct arena *a, struct str text);
/* True when all of these have the same type, not counting untyped nulls and unknowns, so that they can be elements of one
 * collection. */
bool value_have_one_type(const struct value *const *v, size_t n);
const struct value *value_list(struct arena *a, const struct type *element, const struct value *const *v, size_t n);
const struct value *value_tuple(struct arena *a, const struct value *const *v, size_t n);
/* Sorts and removes duplicates. */
const struct value *value_set(struct arena *a, const struct type *element, const struct value *const *v, size_t n);
/* Sorts by key; keys must be in NFC; of duplicate keys the last one wins. */
const struct value *value_map(struct arena *a, const struct type *element, const struct str *keys, const struct value *const *v,
                              size_t n);
/* Takes one value per attribute, in the type's order. The type of the new object is `t` with each DYNAMIC attribute replaced by
 * its value's type. */
const struct value *value_object(struct arena *a, const struct type *t, const struct value *const *v);

static inline bool value_is_null(const struct value *v)
{
    return v->state == VALUE_NULL;
}
static inline bool value_is_known(const struct value *v)
{
    return v->state != VALUE_UNKNOWN; /* null is known */
}

/* A member of an object or a map; NULL when absent (or when `v` is null or unknown). */
const struct value *value_get(const struct value *v, struct str name);

/* Deep copy into another arena, including the type. */
const struct value *value_copy(struct arena *a, const struct value *v);

/* Same type, same null/unknown state, same refinements, deep. */
bool value_raw_eq(const struct value *a, const struct value *b);

/*
 * The language's ==. The result is unknown when it depends on an unknown part, unless that part's refinement already decides.
 * Parts are compared in order, and the first that is not equal decides. Numbers are compared with number_eq(), sets as sets, and
 * any two nulls are equal.
 */
enum tristate { TRI_FALSE, TRI_TRUE, TRI_UNKNOWN };
enum tristate value_equals(const struct value *a, const struct value *b);

/* value_raw_eq() after every unknown is replaced by a plain unknown of its type. */
bool value_eq_ignoring_refinements(struct arena *a, const struct value *x, const struct value *y);

/*
 * Total order within one type: Terraform's order of set elements. Strings bytewise, numbers by value, false before true, unknown
 * after known, null last; compound values by a text made from their content (see order.c), then by content.
 */
int value_cmp(const struct value *a, const struct value *b);
uint64_t value_hash(const struct value *v); /* stable across processes */

/* The value at the path; NULL when the path does not exist. */
const struct value *value_at(const struct value *v, struct path path);

/*
 * A container of the same kind with other elements. If their types differ from before, the container's type changes too; the
 * elements of a collection must still all have the same type.
 */
const struct value *value_with_elements(struct arena *a, const struct value *v, const struct value *const *elements);

/* A new value with each node replaced by fn's result (children first); fn returns its argument to keep a node. */
typedef const struct value *value_transform_fn(void *ctx, struct arena *a, struct path path, const struct value *v);
const struct value *value_transform(struct arena *a, const struct value *v, value_transform_fn *fn, void *ctx);

/* Visits every node, parents first; fn returns false to skip a node's children. */
typedef bool value_walk_fn(void *ctx, struct path path, const struct value *v);
void value_walk(struct arena *a, const struct value *v, value_walk_fn *fn, void *ctx);

/* Every unknown replaced by a null of its type. */
const struct value *value_unknown_to_null(struct arena *a, const struct value *v);
/* Every unknown without its refinements. */
const struct value *value_plain_unknowns(struct arena *a, const struct value *v);
