/*
 * One resource type as Terraform has it, made uniform: attributes with types, nested attributes and blocks of every nesting
 * become one kind of tree, and what the configuration says of a field has been applied.
 *
 * - A nested attribute is an object, or a list, set or map of objects.
 * - A block is a list, set or map of objects; SINGLE and GROUP blocks are lists of at most one.
 * - Inside an object type (attribute as blocks) each attribute inherits what its owner is: optional, computed.
 * - A block is optional unless it needs at least one element. One of SINGLE nesting is optional; as Upjet has it, it is
 *   required when something in it is.
 * - The top level block `timeouts` is left out: it is configuration of the run, not of the object. The top level attribute `id`
 *   is always a text that the provider computes, and always there; only in a data source it may be an argument.
 */
#pragma once

#include "crossplane/config.h"
#include "schema/schema.h"

enum xp_tree_kind {
    TREE_STRING,
    TREE_NUMBER,
    TREE_INTEGER, /* only by configuration: schemas know numbers */
    TREE_BOOL,
    TREE_ANY, /* a value of any type */
    TREE_LIST,
    TREE_SET,
    TREE_MAP,
    TREE_OBJECT,
    TREE_TUPLE, /* elements of types of their own */
};

struct xp_tree_attr;

struct xp_tree_type {
    enum xp_tree_kind kind;
    const struct xp_tree_type *element; /* LIST, SET, MAP */
    const struct xp_tree_attr *attrs;   /* OBJECT; sorted by name */
    size_t n_attrs;
};

struct xp_tree_attr {
    struct str name; /* as Terraform has it */
    struct str path; /* names from the top, joined with dots */
    const struct xp_tree_type *type;
    bool optional, computed; /* neither: required */
    bool required;           /* the configuration says so, whatever the schema says */
    bool sensitive, write_only, deprecated;
    bool beside;     /* no argument of the resource: the provider's configuration has it, or only the controller reads it */
    bool identifier; /* part of the object's id: not in initProvider */
    bool embed;      /* a list or set of at most one, shown as that one */
    bool immutable;
    bool late_init, late_init_if; /* see xp_field_settings */
    bool block, single, group;    /* how the schema has it */
    bool as_blocks;               /* list or set of an object type: always sent, even when empty */
    bool odd_nesting;             /* nesting mode that Terraform does not have */
    struct str json;              /* name by configuration; empty: the usual */
    struct str description, deprecation_message;
    const struct xp_reference_rule *reference;
    const struct xp_merge_rule *merge;
};

struct xp_tree {
    const struct xp_tree_attr *attrs;
    size_t n_attrs;
    size_t n_nodes; /* in all */
};

/* Only the provider itself knows this value, and it is never set: in atProvider alone. */
static inline bool xp_tree_is_output(const struct xp_tree_attr *attr)
{
    return attr->computed && !attr->optional;
}
static inline bool xp_tree_is_required(const struct xp_tree_attr *attr)
{
    return attr->required || (!attr->optional && !attr->computed);
}

/* More nodes than this in one resource type are refused. */
enum { TREE_MAX_NODES = 1 << 20 };

bool xp_tree_build(struct arena *a, const struct schema *s, const struct xp_resource_config *config, struct diags *diags,
                   struct xp_tree *ret);

/* The path most like what was typed; empty when none is. */
struct str xp_tree_closest(struct arena *a, const struct schema *s, struct str typed);
