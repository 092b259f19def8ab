/*
 * A node and a value of its type side by side: what the passes over values share. Private to this folder.
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "translate/node.h"
#include "value/trail.h"

/* What a pass has to say of a value: the places it is said of. */
struct cc_paths {
    struct path *v;
    size_t n, cap;
};

/* Has it elements to look at: known and not null? */
static inline bool cc_has_content(const struct value *v)
{
    return v && v->state == VALUE_KNOWN;
}

/*
 * Four questions about what is not there. The first two ask the value alone, the third also its node; the fourth, what a
 * comparison takes for nothing, depends on what is compared (compares_as_empty() in compare.c).
 */

/* Null, or a collection without elements that are not null: services do not tell the two apart. */
bool cc_is_null_or_empty(const struct value *v);
/* The same, and an object all of whose parts are empty throughout. */
bool cc_is_empty_throughout(const struct value *v);

/* Need the service return nothing of it: null or empty, never given back, decided by the service alone, or an object of such
 * parts? */
bool cc_service_may_omit(const struct cc_node *node, const struct value *v);

/* The node of a value's element i. */
static inline const struct cc_node *cc_part_node(const struct cc_node *node, size_t i)
{
    return node->kind == CC_OBJECT ? &node->children[i] : node->element;
}

/* A part of an object; NULL when the object is NULL, null or unknown. */
static inline const struct value *cc_part(const struct value *object, size_t i)
{
    return object && object->state == VALUE_KNOWN ? object->elements[i] : NULL;
}

/* A value of the node's type from parts in order: of an OBJECT one for each child. `keys`: MAP only. */
const struct value *cc_make(struct arena *a, const struct cc_node *node, const struct value *const *parts, const struct str *keys,
                            size_t n);

/* The text of its Key (cc_key_node()); empty: it has none. */
struct str cc_key_of(const struct cc_node *element, const struct value *v);
