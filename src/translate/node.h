/*
 * The node tree: one CloudFormation type, compiled once, read-only from then on. Every pass walks it: schema, validation, plan
 * modification, JSON both ways, patch. There are no maps of names; each node has both of its own.
 *
 *     root (OBJECT)
 *       id          STRING, role CC_ROLE_ID, no CloudFormation name
 *       tags        LIST, order MULTISET
 *         element   OBJECT, without names
 *           key     STRING "Key"
 *           value   STRING "Value"
 *
 * Invariants
 * - The children of an OBJECT are sorted by `name`, which is the order of type->attrs: children[i] describes elements[i] of a
 * value.
 * - `element` is set for LIST, SET and MAP and for nothing else; it has no name, no flags (all false) and no default.
 * - node->type is the type of its values; an element's type is that of the container's type->element.
 * - `kind` is what Terraform sees, `order` what CloudFormation means. An array within an array is a LIST even where its order
 * says SET.
 */
#pragma once

#include "cfn/schema.h"
#include "translate/validators.h"
#include "value/value.h"

enum cc_kind { CC_BOOL, CC_INT64, CC_FLOAT64, CC_STRING, CC_LIST, CC_SET, CC_MAP, CC_OBJECT };

/* What a STRING holds. */
enum cc_text {
    CC_TEXT_PLAIN,
    CC_TEXT_RFC3339, /* equal as points in time written alike: see docs/awscc-rules.md 2.8 */
    CC_TEXT_JSON,    /* in documents any JSON value stands here, in Terraform its text; equal by content */
};

/* What the order and number of an array's elements mean to the service; of nodes that are no arrays: CC_ORDERED. */
enum cc_order {
    CC_ORDERED,        /* order matters, duplicates may be */
    CC_ORDERED_UNIQUE, /* order matters, no duplicates */
    CC_MULTISET,       /* order means nothing, duplicates count; a LIST in Terraform */
    CC_UNORDERED,      /* order means nothing, no duplicates */
};

enum cc_role {
    CC_ROLE_PROPERTY,
    CC_ROLE_ID,       /* the identifier, at the top level; never part of a document */
    CC_ROLE_TIMEOUTS, /* default mode: the block `timeouts` and what is in it; never part of a document */
};

enum cc_default {
    CC_DEFAULT_NONE,
    CC_DEFAULT_STATIC, /* takes the place of a null in the configuration, before anything is marked unknown */
    CC_DEFAULT_FILL,   /* takes the place of an unknown in the plan */
};

enum cc_replace { CC_REPLACE_NO, CC_REPLACE_IF_CONFIGURED, CC_REPLACE_ALWAYS };

struct cc_node {
    struct str name;              /* Terraform; empty: root, element */
    struct str cf_name;           /* CloudFormation; empty: root, element, and roles other than PROPERTY */
    const struct cc_node *parent; /* NULL: root */
    enum cc_kind kind;
    enum cc_text text;
    enum cc_order order;
    enum cc_role role;
    const struct type *type;

    const struct cc_node *element;
    const struct cc_node *children; /* OBJECT */
    const uint32_t *by_cf_name;     /* positions in `children`, ordered by cf_name */
    size_t n_children;

    /* Terraform's flags: exactly one of R, O, C, OC. */
    bool required, optional, computed;
    /* What the schema's pointers say of this very path, those with * included; nothing is inherited. */
    bool read_only, write_only, create_only, conditional_create_only, deprecated;
    /* ... of these, the ones that only a pointer with * says. Strict mode has none of them at all. */
    bool starred_read_only, starred_write_only, starred_create_only;
    /* The property is in `required` of its object, whatever became of `required` above. */
    bool cf_required;

    enum cc_default default_kind;
    const struct value *by_default;  /* of this type */
    const struct json *default_json; /* as the schema has it */
    enum cc_default refused_default; /* default mode: what it would be if the schema did not refuse its own default */
    bool use_state_for_unknown;
    enum cc_replace replace;               /* of create_only; starred ones included */
    const struct cc_validator *validators; /* in order; those of elements stand in the container (CC_V_ELEMENTS) */
    size_t n_validators;

    struct str description;
    const struct json *source; /* the subschema, references followed; NULL: not from the schema */
    /* A text of JSON in place of something that Terraform could not have here (see notes); or an OBJECT in place of an array,
     * which awscc gets wrong: nothing of it can be read or sent. */
    bool cut;
};

/* NULL when absent. */
const struct cc_node *cc_node_child(const struct cc_node *object, struct str name);
const struct cc_node *cc_node_cf_child(const struct cc_node *object, struct str cf_name);

/*
 * The node that a property pointer names. A step through an array or map needs no *, but may be one. NULL: none, or *ret_starred
 * (may be NULL) tells that the pointer has a star, which awscc ignores.
 */
const struct cc_node *cc_node_at_pointer(const struct cc_node *root, struct str pointer, bool *ret_starred);

/* As tables write it: a.b, tags[].key, m{}.x. */
void cc_node_write_path(struct buf *out, const struct cc_node *node);
/* As CloudFormation names it: /properties/A/B, without stars. */
void cc_node_write_pointer(struct buf *out, const struct cc_node *node);

/* Parents first, children in order, elements too; fn returns false to skip what is inside. */
typedef bool cc_node_fn(void *ctx, const struct cc_node *node);
void cc_node_walk(const struct cc_node *root, cc_node_fn *fn, void *ctx);

/* The attribute that a node is or is an element of. */
const struct cc_node *cc_node_attr(const struct cc_node *node);
/* LIST, SET or MAP of OBJECT, or OBJECT: what Terraform calls a nested attribute. */
bool cc_node_is_nested(const struct cc_node *node);

/* --- questions --- */

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

/* Can an object have something that the service never gives back? */
bool cc_may_have_write_only(const struct cc_node *node);

/* Is it both create-only and write-only, by itself or by what it is in? Then it is neither there to be changed nor to be read. */
bool cc_is_create_and_write_only(const struct cc_node *node);

/* The text Key or key of an element of such a list; NULL: the elements of this list have none. */
const struct cc_node *cc_key_node(const struct cc_node *element);
