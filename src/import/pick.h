/*
 * Values picked out of answers of APIs, and texts made of them. Pure.
 *
 * A path is names joined with dots: "vpcSet.item.vpcId". A name finds every member that is called so, in an object and in the
 * objects of a list; "*" finds every member, and for maps that have names as keys "@" finds the keys themselves. A text that is
 * JSON is looked into. "" is the value itself.
 *
 * A template is text with {PATH} in it, which stands for the value there. {^PATH} is of the item's parent, {^^PATH} of the
 * parent's parent; {$NAME} is a fact of the run ($region, $account, $partition); of {A,B} the first counts that is there. What
 * follows a | changes it, from left to right:
 *
 *   |after:X    what stands behind the last X      |before:X   what stands before the first X
 *   |trim:X     without X at the end               |prefix:X   with X before it, where there is something
 *   |join:X     all values with X between; else the first counts        |or:X   X, where there is nothing
 *
 * A template with a place for which there is nothing has no value.
 */
#pragma once

#include "base/json.h"

/* An item of an answer, with those that led to it. */
struct picked {
    const struct json *item;
    const struct picked *parent; /* NULL: none */
};

struct pick_fact {
    const char *name; /* without $ */
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
/* Everything at the path, lists taken apart. */
struct pick_values pick_all(struct arena *a, const struct json *from, struct str path);
/* The first text, number or truth value there; false: none. */
bool pick_text(struct arena *a, const struct picked *from, struct str path, struct str *ret);
/* The template filled in; false: something is missing. */
bool pick_fill(struct arena *a, const struct picked *from, const struct pick_facts *facts, struct str template, struct str *ret);

/* Is it a template that can be filled in? Otherwise why not. `depth`: how many parents there are. */
const char *pick_check(struct str template, size_t depth);
