/*
 * Picks values out of API answers and fills templates with them. Pure functions.
 *
 * A path is names joined with dots: "vpcSet.item.vpcId". A name finds every member of that name, in an object and in the objects
 * of a list; "*" finds every member, and in maps whose keys are names "@" finds the keys themselves. A string that contains JSON
 * is parsed. "" is the value itself.
 *
 * A template is text with {PATH} in it, which is replaced by the value. {^PATH} is from the item's parent, {^^PATH} from the
 * parent's parent; {$NAME} is a fact of the run ($region, $account, $partition); of {A,B} the first that has a value counts.
 * Filters after | change the value, from left to right:
 *
 *   |after:X    the part after the last X          |before:X   the part before the first X
 *   |trim:X     without X at the end               |prefix:X   with X before it, if there is a value
 *   |join:X     all values, joined by X; otherwise the first counts     |or:X   X, if there is no value
 *
 * A template has no value if one of its places has none.
 */
#pragma once

#include "base/json.h"

/* An item of an answer, with the parents that led to it. */
struct picked {
    const struct json *item;
    const struct picked *parent; /* NULL: none */
};

struct pick_fact {
    const char *name; /* without the $ */
    struct str value;
};
struct pick_facts {
    const struct pick_fact *v;
    size_t n;
};

enum { PICK_MAX_DEPTH = 32, PICK_MAX_TEXT = 64 << 10, PICK_MAX_VALUES = 1 << 20 };

struct pick_values {
    const struct json **v;
    size_t n;
};
/* All values at the path, with lists flattened. */
struct pick_values pick_all(struct arena *a, const struct json *from, struct str path);
/* The first string, number or boolean there; false: none. */
bool pick_text(struct arena *a, const struct picked *from, struct str path, struct str *ret);
/* Fills the template; false: a value is missing. */
bool pick_fill(struct arena *a, const struct picked *from, const struct pick_facts *facts, struct str template, struct str *ret);

/* NULL if the template is valid, otherwise what is wrong. `depth`: the number of parents. */
const char *pick_check(struct str template, size_t depth);
