/*
 * What the passes over values share: a node and a value side by side, and where a walk is. Private to this folder.
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "cloudcontrol/node.h"

/* Where a walk is, kept on the stack and made into a path only when one is needed. */
struct cc_place {
    const struct cc_place *up; /* NULL: the root */
    struct path_step step;
};
struct path cc_place_path(struct arena *a, const struct cc_place *place);
/* The step from a container to its element i. */
struct cc_place cc_place_of(const struct cc_place *up, const struct cc_node *node, const struct value *v, size_t i);

struct cc_paths {
    struct path *v;
    size_t n, cap;
};

/* Do the elements of this array stand in no order? */
static inline bool cc_is_unordered(const struct cc_node *node)
{
    return node->order == CC_MULTISET || node->order == CC_UNORDERED;
}

/* Can a configuration not say anything about it? */
static inline bool cc_is_computed_only(const struct cc_node *node)
{
    return node->computed && !node->optional;
}

/* Does the service alone decide on it, whether a configuration can say something about it or not? */
static inline bool cc_is_read_only(const struct cc_node *node)
{
    return cc_is_computed_only(node) || node->starred_read_only;
}

/* What stands for null in a configuration; NULL: nothing does. A default of what the service alone decides says nothing. */
static inline const struct value *cc_static_default(const struct cc_node *node)
{
    return node->default_kind == CC_DEFAULT_STATIC && !cc_is_computed_only(node) ? node->by_default : NULL;
}

/* OBJECT in place of an array that Terraform could not have (see node.h): nothing of it can be read or sent. */
static inline bool cc_is_lost(const struct cc_node *node)
{
    return node->cut && node->kind == CC_OBJECT;
}

/* Has it elements to look at: known and not null? */
static inline bool cc_has_content(const struct value *v)
{
    return v && v->state == VALUE_KNOWN;
}

/* Null, or a collection without elements that are not: services do not tell the two apart. */
bool cc_is_empty(const struct value *v);
/* The same, and objects all of whose parts are such. */
bool cc_holds_nothing(const struct value *v);

/* The same, and whatever the service never gives back or alone decides: it need not return anything of such a value. */
bool cc_is_bare(const struct cc_node *node, const struct value *v);

/* Can an object have something that the service never gives back? */
bool cc_may_have_write_only(const struct cc_node *node);

/* Is it both create-only and write-only, by itself or by what it is in? Then it is neither there to be changed nor to be read. */
bool cc_is_create_and_write_only(const struct cc_node *node);

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

/* The text Key or key of an element of such a list; NULL: the elements of this list have none. */
const struct cc_node *cc_key_node(const struct cc_node *element);
/* Empty: it has none. */
struct str cc_key_of(const struct cc_node *element, const struct value *v);

/* Of one JSON text: far more than the service takes, escapes included. */
enum { CC_MAX_JSON_TEXT = 64 << 20 };
/* JSON in one line, with members in order of their names, as jsonencode() writes it. */
struct str cc_json_text(struct arena *a, const struct json *j);
