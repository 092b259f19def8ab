/*
 * The node tree: one CloudFormation type, compiled once, then read-only. Every pass walks it: schema, validation, plan
 * modification, JSON in both directions, patch. Each node has both its names, so no maps of names are needed.
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
 *   value.
 * - `element` is set only for LIST, SET and MAP; it has no name, no flags (all false) and no default.
 * - node->type is the type of the node's values; an element's type is the container's type->element.
 * - `kind` is what Terraform sees, `order` what CloudFormation means. An array within an array is a LIST even if its order says
 *   SET.
 */
#pragma once

#include "cfn/schema.h"
#include "translate/validators.h"
#include "value/value.h"

enum cc_kind { CC_BOOL, CC_INT64, CC_FLOAT64, CC_STRING, CC_LIST, CC_SET, CC_MAP, CC_OBJECT };

/* What a STRING contains. */
enum cc_text {
    CC_TEXT_PLAIN,
    CC_TEXT_RFC3339, /* compared as times: see docs/awscc-rules.md 2.8 */
    CC_TEXT_JSON,    /* any JSON value in documents, its text in Terraform; compared by content */
};

/* What the order and number of an array's elements mean to the service; CC_ORDERED for nodes that are not arrays. */
enum cc_order {
    CC_ORDERED,        /* order matters, duplicates are allowed */
    CC_ORDERED_UNIQUE, /* order matters, no duplicates */
    CC_MULTISET,       /* order does not matter, duplicates do; a LIST in Terraform */
    CC_UNORDERED,      /* order does not matter, no duplicates */
};

enum cc_role {
    CC_ROLE_PROPERTY,
    CC_ROLE_ID,       /* the identifier, at the top level; never part of a document */
    CC_ROLE_TIMEOUTS, /* default mode: the block `timeouts` and its attributes; never part of a document */
};

enum cc_default {
    CC_DEFAULT_NONE,
    CC_DEFAULT_STATIC, /* replaces null in the configuration, before anything is marked unknown */
    CC_DEFAULT_FILL,   /* replaces unknown in the plan */
};

enum cc_replace { CC_REPLACE_NO, CC_REPLACE_IF_CONFIGURED, CC_REPLACE_ALWAYS };

struct cc_node {
    struct str name;              /* Terraform's name; empty for root and elements */
    struct str cf_name;           /* CloudFormation's name; empty for root, elements, and roles other than PROPERTY */
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

    /* Terraform's flags: required, optional, computed, or optional and computed. */
    bool required, optional, computed;
    /* What the schema's pointers, including those with *, say about exactly this path; nothing is inherited. */
    bool read_only, write_only, create_only, conditional_create_only, deprecated;
    /* Set if only a pointer with * says so. Never set in strict mode. */
    bool starred_read_only, starred_write_only, starred_create_only;
    /* The property is in the `required` list of its object, even if the flag `required` above is not set. */
    bool cf_required;

    enum cc_default default_kind;
    const struct value *by_default;  /* of this type */
    const struct json *default_json; /* as in the schema */
    enum cc_default refused_default; /* default mode: kind of a default dropped because the schema's validators reject it */
    bool use_state_for_unknown;
    enum cc_replace replace;               /* follows from create_only, including starred_create_only */
    const struct cc_validator *validators; /* in order; the container has those of its elements (CC_V_STRINGS, CC_V_INT64S) */
    size_t n_validators;

    struct str description;
    const struct json *source; /* the subschema, after following references; NULL: not from the schema */
    /* A JSON string that replaces something Terraform cannot express here (see notes); or an OBJECT in place of an array, which
     * is a mistake of awscc: none of it can be read or sent. */
    bool cut;
};

/* The child with this name; NULL if there is none. */
const struct cc_node *cc_node_child(const struct cc_node *object, struct str name);
const struct cc_node *cc_node_cf_child(const struct cc_node *object, struct str cf_name);

/*
 * The node that a property pointer names. A step * through an array or map is optional. NULL if there is none. *ret_starred (may
 * be NULL): the pointer has a star; awscc ignores such pointers.
 */
const struct cc_node *cc_node_at_pointer(const struct cc_node *root, struct str pointer, bool *ret_starred);

/* The path as in tables: a.b, tags[].key, m{}.x. */
void cc_node_write_path(struct buf *out, const struct cc_node *node);
/* CloudFormation's pointer: /properties/A/B, without stars. */
void cc_node_write_pointer(struct buf *out, const struct cc_node *node);

/* Calls fn for parents before children, children in order, and elements; fn returns false to skip a node's descendants. */
typedef bool cc_node_fn(void *ctx, const struct cc_node *node);
void cc_node_walk(const struct cc_node *root, cc_node_fn *fn, void *ctx);

/* The attribute: the node itself, or the container it is an element of. */
const struct cc_node *cc_node_attr(const struct cc_node *node);
/* Is it an OBJECT, or a LIST, SET or MAP of OBJECT, which Terraform calls a nested attribute? */
bool cc_node_is_nested(const struct cc_node *node);

/* --- questions --- */

/* Is the order of this array's elements meaningless? */
static inline bool cc_is_unordered(const struct cc_node *node)
{
    return node->order == CC_MULTISET || node->order == CC_UNORDERED;
}

/* Is it impossible to configure? */
static inline bool cc_is_computed_only(const struct cc_node *node)
{
    return node->computed && !node->optional;
}

/* Does the service alone set it, whether or not a configuration may mention it? */
static inline bool cc_is_read_only(const struct cc_node *node)
{
    return cc_is_computed_only(node) || node->starred_read_only;
}

/* What replaces null in a configuration; NULL if nothing does. Defaults of computed-only attributes do not count. */
static inline const struct value *cc_static_default(const struct cc_node *node)
{
    return node->default_kind == CC_DEFAULT_STATIC && !cc_is_computed_only(node) ? node->by_default : NULL;
}

/* An OBJECT in place of an array (see `cut`): none of it can be read or sent. */
static inline bool cc_is_lost(const struct cc_node *node)
{
    return node->cut && node->kind == CC_OBJECT;
}

/* Can an object have something that the service never returns? */
bool cc_may_have_write_only(const struct cc_node *node);

/* Are it or its ancestors both create-only and write-only? Then it can be neither changed nor read. */
bool cc_is_create_and_write_only(const struct cc_node *node);

/* The string attribute Key or key of a list's element; NULL if its elements have none. */
const struct cc_node *cc_key_node(const struct cc_node *element);
