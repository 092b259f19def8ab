/*
 * From a CloudFormation schema to a node tree, and from that to what Terraform is told.
 *
 *     struct cc_type *t = cc_translate(arena, cfn, CFN_MODE_DEFAULT);
 *     t->root                                   the tree (node.h)
 *     cc_schema_add(builder, schema, t)         resource, data sources, list resource and identity into a provider's schema
 *
 * Strict mode is hashicorp/awscc attribute by attribute, with the types it has. Default mode has all types: what awscc cannot
 * express becomes a JSON text at that place (`cut`), every such place is a note. Types that awscc has are the same in both modes,
 * but for the block `timeouts` and for pointers with *, which change what is planned and sent and never the shape.
 *
 * A translation never fails: a type that cannot be had has `refused` set and no root.
 */
#pragma once

#include "cfn/pack.h"
#include "schema/schema_build.h"
#include "translate/node.h"

enum {
    /*
     * The state of translation. To be raised whenever the answers of an unchanged schema change: then those in older packs count
     * as absent (cfn_pack_answer()) and are made anew. pack_test.c notices when that was forgotten.
     */
    CC_TRANSLATION = 4,
    CC_MAX_DEPTH = 24,         /* levels of nested attributes; a deeper object is a JSON text */
    CC_MAX_NODES = 20000,      /* of one type */
    CC_RECURSION_LEVELS = 3,   /* how often a definition may stand within itself before it is a JSON text ... */
    CC_RECURSION_NODES = 4000, /* ... as long as the type stays below this; otherwise fewer levels */
};

enum cc_note_kind {
    CC_NOTE_IGNORED,      /* something the schema says has no effect here */
    CC_NOTE_APPROXIMATED, /* represented in another way: JSON text, cut recursion */
    CC_NOTE_REFUSED,      /* no resource */
};

struct cc_note {
    enum cc_note_kind kind;
    struct str path; /* CloudFormation names with / between; empty: the whole type */
    struct str text;
};

/* A part of the identifier, in order. */
struct cc_identifier {
    struct str pointer;         /* as the schema has it: /properties/Schedule/ScheduleId */
    struct str identity_name;   /* of the identity attribute; not always an attribute of the resource */
    const struct cc_node *node; /* NULL: the pointer leads nowhere */
};

/* Default mode: what the service wants to know before it lists objects. */
struct cc_list_argument {
    const struct cc_node *node; /* a primitive at the top level, whose names it has */
    bool required;
};

struct cc_type {
    struct arena *arena;
    enum cfn_mode mode;
    const struct cfn_schema *cfn;
    struct str cf_type, tf_type; /* AWS::Logs::LogGroup, awscc_logs_log_group */
    struct str plural;           /* name of the plural data source, whether there is one or not */
    const struct cc_node *root;  /* NULL: refused */
    bool has_resource, has_singular, has_plural, has_list;
    const struct cc_list_argument *list_arguments; /* of the plural data source and the list resource, in order of the schema */
    size_t n_list_arguments;
    bool immutable; /* no attribute can be updated */
    bool global;    /* identity without region */
    const struct cc_identifier *identifiers;
    size_t n_identifiers;
    int64_t create_minutes, update_minutes, delete_minutes; /* 0: not stated, which means CC_DEFAULT_MINUTES */
    struct str suppression; /* strict mode: why there is no resource, in the words of tables ("recursive", "duplicate-id", ...) */
    const struct cc_node *tags; /* where default_tags go: the tag property if the type can be tagged; NULL: none */
    bool tags_are_map;          /* tags is a map of text; otherwise a list or set of {Key, Value} */
    const struct cc_note *notes;
    size_t n_notes;
    size_t n_nodes; /* attributes, at any depth */
};
enum { CC_DEFAULT_MINUTES = 120 };

/* Everything in `a`; `cfn` must live as long. */
const struct cc_type *cc_translate(struct arena *a, const struct cfn_schema *cfn, enum cfn_mode mode);

/* What Terraform is told of the type. Resources have version 1, data sources 0. NULL: there is none. */
const struct schema *cc_schema_resource(struct schema_builder *b, const struct cc_type *t);
const struct schema *cc_schema_plural(struct schema_builder *b, const struct cc_type *t);
const struct schema_identity *cc_schema_identity(struct schema_builder *b, const struct cc_type *t);
/* Is this part of the identity one that an import may leave out: the provider's own account or region? */
bool cc_identity_is_ours(const struct cc_type *t, struct str name);

/* All five into the maps of the builder's schema. */
void cc_schema_add(struct schema_builder *b, const struct cc_type *t);
/* The provider's own block and provider_meta (docs/awscc-rules.md 2.9), capabilities. Default mode adds default_tags and more. */
void cc_schema_provider(struct schema_builder *b, enum cfn_mode mode);
