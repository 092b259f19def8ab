/*
 * Helpers for passes over a node and a value of its type. Private to this folder.
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "translate/node.h"
#include "value/trail.h"

/* Paths that a pass reports. */
struct cc_paths {
    struct path *v;
    size_t n, cap;
};

/* Is it known and not null, so that it can have elements? */
static inline bool cc_has_content(const struct value *v)
{
    return v && v->state == VALUE_KNOWN;
}

/*
 * Four definitions of empty. The first two depend on the value alone, the third also on its node; the fourth, what a comparison
 * treats as empty, depends on the comparison (compares_as_empty() in compare.c).
 */

/* Null, or a collection with no elements that are not null: services do not distinguish the two. */
bool cc_is_null_or_empty(const struct value *v);
/* The same, or an object whose parts are all empty throughout. */
bool cc_is_empty_throughout(const struct value *v);

/* May the service return nothing for it: because it is null or empty, write-only, read-only, or an object of such parts? */
bool cc_service_may_omit(const struct cc_node *node, const struct value *v);

/* The node of element i of a value. */
static inline const struct cc_node *cc_part_node(const struct cc_node *node, size_t i)
{
    return node->kind == CC_OBJECT ? &node->children[i] : node->element;
}

/* A part of an object; NULL when the object is NULL, null or unknown. */
static inline const struct value *cc_part(const struct value *object, size_t i)
{
    return object && object->state == VALUE_KNOWN ? object->elements[i] : NULL;
}

/* Makes a value of the node's type from its parts in order; an OBJECT has one for each child. `keys`: MAP only. */
const struct value *cc_make(struct arena *a, const struct cc_node *node, const struct value *const *parts, const struct str *keys,
                            size_t n);

/* The text of an element's Key (cc_key_node()); empty if it has none. */
struct str cc_key_of(const struct cc_node *element, const struct value *v);
