/*
 * A uniform view of one resource type: attributes with types, nested attributes and blocks of every nesting mode become one kind
 * of tree, with the configuration's settings for fields applied.
 *
 * - A nested attribute is an object, or a list, set or map of objects.
 * - A block is a list, set or map of objects; SINGLE and GROUP blocks are lists of at most one element.
 * - Inside an object type (attribute as blocks) each attribute inherits optional and computed from its owner.
 * - A block is optional unless it needs at least one element. A SINGLE block is optional; with Upjet's rules it is required if
 *   something in it is.
 * - The top-level block `timeouts` is left out: it configures the run, not the object. The top-level attribute `id` always exists
 *   and is a computed string; only in a data source it may be an argument.
 */
#pragma once

#include "crossplane/config.h"
#include "schema/schema.h"

enum xp_tree_kind {
    TREE_STRING,
    TREE_NUMBER,
    TREE_INTEGER, /* only from the configuration: schemas have only numbers */
    TREE_BOOL,
    TREE_ANY, /* a value of any type */
    TREE_LIST,
    TREE_SET,
    TREE_MAP,
    TREE_OBJECT,
    TREE_TUPLE, /* each element has its own type */
};

struct xp_tree_attr;

struct xp_tree_type {
    enum xp_tree_kind kind;
    const struct xp_tree_type *element; /* LIST, SET, MAP */
    const struct xp_tree_attr *attrs;   /* OBJECT; sorted by name */
    size_t n_attrs;
};

struct xp_tree_attr {
    struct str name; /* in Terraform */
    struct str path; /* names from the root, joined with dots */
    const struct xp_tree_type *type;
    bool optional, computed; /* neither: required */
    bool required;           /* the configuration says so, regardless of the schema */
    bool sensitive, write_only, deprecated;
    bool beside;     /* not an argument of the resource, but of the provider's configuration or the controller */
    bool identifier; /* part of the object's id: not in initProvider */
    bool embed;      /* a list or set of at most one element, shown as the element */
    bool immutable;
    bool late_init, late_init_if; /* see xp_field_settings */
    bool block, single, group;    /* how the schema defines it */
    bool as_blocks;               /* list or set of an object type: always sent, even when empty */
    bool odd_nesting;             /* a nesting mode that Terraform does not have */
    struct str json;              /* name from the configuration; empty: default */
    struct str description, deprecation_message;
    const struct xp_reference_rule *reference;
    const struct xp_merge_rule *merge;
};

struct xp_tree {
    const struct xp_tree_attr *attrs;
    size_t n_attrs;
    size_t n_nodes; /* at all levels */
};

/* Computed only: cannot be set, appears only in atProvider. */
static inline bool xp_tree_is_output(const struct xp_tree_attr *attr)
{
    return attr->computed && !attr->optional;
}
static inline bool xp_tree_is_required(const struct xp_tree_attr *attr)
{
    return attr->required || (!attr->optional && !attr->computed);
}

/* A resource type with more nodes is refused. */
enum { TREE_MAX_NODES = 1 << 20 };

bool xp_tree_build(struct arena *a, const struct schema *s, const struct xp_resource_config *config, struct diags *diags,
                   struct xp_tree *ret);

/* The existing path most similar to `typed`; empty if none is similar. */
struct str xp_tree_closest(struct arena *a, const struct schema *s, struct str typed);
