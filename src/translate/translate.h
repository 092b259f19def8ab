/*
 * Translates a CloudFormation schema to a node tree, and that to Terraform schemas.
 *
 *     struct cc_type *t = cc_translate(arena, cfn, CFN_MODE_DEFAULT);
 *     t->root                                   the tree (node.h)
 *     cc_schema_add(builder, schema, t)         resource, data sources, list resource and identity into a provider's schema
 *
 * Strict mode equals hashicorp/awscc attribute by attribute, with the types that awscc has. Default mode has all types: what
 * awscc cannot express becomes a JSON string (`cut`), with a note for each such place. The types of awscc are the same in both
 * modes, except for the block `timeouts` and for pointers with *, which change what is planned and sent but never the shape.
 *
 * A translation never fails: a type that cannot be represented has no root, and a note or `suppression` says why.
 */
#pragma once

#include "cfn/pack.h"
#include "schema/schema_build.h"
#include "translate/node.h"

enum {
    /*
     * The version of the translation. Raise it whenever the answers for an unchanged schema change: then the answers in older
     * packs count as absent (cfn_pack_answer()) and are made again. pack_test.c fails if this was forgotten.
     */
    CC_TRANSLATION = 4,
    CC_MAX_DEPTH = 24,         /* levels of nested attributes; a deeper object is a JSON string */
    CC_MAX_NODES = 20000,      /* of one type */
    CC_RECURSION_LEVELS = 3,   /* how often a definition may be nested in itself before it is a JSON string ... */
    CC_RECURSION_NODES = 4000, /* ... if the type stays below this number of nodes; otherwise fewer levels */
};

enum cc_note_kind {
    CC_NOTE_IGNORED,      /* something in the schema has no effect here */
    CC_NOTE_APPROXIMATED, /* represented differently: JSON string, cut recursion */
    CC_NOTE_REFUSED,      /* no resource */
};

struct cc_note {
    enum cc_note_kind kind;
    struct str path; /* CloudFormation names joined with /; empty: the whole type */
    struct str text;
};

/* A part of the identifier, in order. */
struct cc_identifier {
    struct str pointer;         /* as in the schema: /properties/Schedule/ScheduleId */
    struct str identity_name;   /* of the identity attribute; not always an attribute of the resource */
    const struct cc_node *node; /* NULL: the pointer does not match a property */
};

/* Default mode: an argument that the service needs to list objects. */
struct cc_list_argument {
    const struct cc_node *node; /* a primitive at the top level; the argument has its names */
    bool required;
};

struct cc_type {
    struct arena *arena;
    enum cfn_mode mode;
    const struct cfn_schema *cfn;
    struct str cf_type, tf_type; /* AWS::Logs::LogGroup, awscc_logs_log_group */
    struct str plural;           /* name of the plural data source, even if there is none */
    const struct cc_node *root;  /* NULL: refused */
    bool has_resource, has_singular, has_plural, has_list;
    const struct cc_list_argument *list_arguments; /* of the plural data source and the list resource, in order of the schema */
    size_t n_list_arguments;
    bool immutable; /* no attribute can be updated */
    bool global;    /* identity without region */
    const struct cc_identifier *identifiers;
    size_t n_identifiers;
    int64_t create_minutes, update_minutes, delete_minutes; /* 0: not specified, which means CC_DEFAULT_MINUTES */
    struct str suppression;     /* strict mode: why there is no resource, as in tables ("recursive", "duplicate-id", ...) */
    const struct cc_node *tags; /* the tag property, for default_tags; NULL if the type cannot be tagged */
    bool tags_are_map;          /* tags is a map of strings; otherwise a list or set of {Key, Value} */
    const struct cc_note *notes;
    size_t n_notes;
    size_t n_nodes; /* attributes, at any depth */
};
enum { CC_DEFAULT_MINUTES = 120 };

/* Allocates in `a`; `cfn` must live as long. */
const struct cc_type *cc_translate(struct arena *a, const struct cfn_schema *cfn, enum cfn_mode mode);

/* The Terraform schemas of the type. Resources have version 1, data sources 0. NULL if there is none. */
const struct schema *cc_schema_resource(struct schema_builder *b, const struct cc_type *t);
const struct schema *cc_schema_plural(struct schema_builder *b, const struct cc_type *t);
const struct schema_identity *cc_schema_identity(struct schema_builder *b, const struct cc_type *t);
/* Is this part of the identity the account or region, which an import may omit to mean the provider's own? */
bool cc_identity_is_ours(const struct cc_type *t, struct str name);

/* Adds resource, data sources, list resource and identity to the maps of the builder's schema. */
void cc_schema_add(struct schema_builder *b, const struct cc_type *t);
/* Adds the provider block, provider_meta (docs/awscc-rules.md 2.9) and capabilities. Default mode has more: default_tags etc. */
void cc_schema_provider(struct schema_builder *b, enum cfn_mode mode);
