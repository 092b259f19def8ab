/*
 * The schema of a provider: what resource types it has and what each of their attributes and blocks may hold.
 *
 * Decoded once per provider version (from the wire by plugin, or from a file), then read-only: it may be shared by all
 * threads. Everything lives in one arena. The protocol version is not visible here.
 *
 * Decoders fill drafts (the structs below, in memory of their own, in any order, text pointing wherever it likes) and hand
 * them to a builder (schema_build.h), which returns the final form. Final means:
 * - attributes and blocks are sorted by name, names are unique (of duplicates the last one wins, as in Terraform);
 * - equal parts are one: the same text, type, attribute list or block is the same pointer (a block of aws stands for ten);
 * - the value types are filled in.
 *
 * Any provider's schema has a final form, even one that breaks the rules: those are checked separately (schema_check.h).
 */
#pragma once

#include "base/map.h"
#include "value/type.h"
#include "value/value.h"

/* Levels of blocks in blocks and of nested attributes, counted together. The deepest resource of aws 5 has 15. */
enum { SCHEMA_MAX_DEPTH = 48 };

enum schema_nesting {
    NESTING_INVALID, /* not a mode of ours: printed so, its type as of SINGLE, refused by the checks */
    NESTING_SINGLE,
    NESTING_LIST,
    NESTING_SET,
    NESTING_MAP,
    NESTING_GROUP, /* blocks only: like SINGLE, but never null */
};

enum schema_text { TEXT_PLAIN, TEXT_MARKDOWN };

struct schema_attr;

/* A nested attribute's object. min_items and max_items are deprecated on the wire, never printed and not enforced. */
struct schema_object {
    enum schema_nesting nesting; /* not GROUP */
    const struct schema_attr *attrs;
    size_t n_attrs;
    int64_t min_items, max_items;
    unsigned levels; /* as of a block */
};

struct schema_attr {
    struct str name;
    const struct type *type;            /* exactly one of type ... */
    const struct schema_object *nested; /* ... and nested is set, or the checks refuse it */
    const struct type *value_type;      /* of its values: `nested` taken in, no optional marks; DYNAMIC if neither is set */
    struct str description;
    struct str deprecation_message;
    enum schema_text description_kind;
    bool required, optional, computed, sensitive, write_only, deprecated;
};

struct schema_nested_block;

struct schema_block {
    const struct schema_attr *attrs;
    size_t n_attrs;
    const struct schema_nested_block *blocks;
    size_t n_blocks;
    struct str description;
    struct str deprecation_message;
    enum schema_text description_kind;
    bool deprecated;
    bool computed;           /* protocol 6.11 */
    unsigned levels;         /* of blocks and nested attributes, this one included */
    const struct type *type; /* object of its attributes and blocks; last, as it follows from the rest */
};

struct schema_nested_block {
    struct str name;
    enum schema_nesting nesting;
    const struct schema_block *block;
    int64_t min_items, max_items; /* max 0: no limit */
    /*
     * SINGLE and GROUP object, LIST, SET and MAP of object. With DYNAMIC inside, LIST and MAP are DYNAMIC as a whole: each of
     * their values is a tuple or an object of its own type.
     */
    const struct type *value_type;
};

struct schema {
    int64_t version;
    const struct schema_block *block; /* never NULL */
    const struct type *type;          /* the block's */
};

struct schema_identity_attr {
    struct str name;
    const struct type *type;
    struct str description;
    bool required_for_import, optional_for_import;
};

struct schema_identity {
    int64_t version;
    const struct schema_identity_attr *attrs; /* sorted by name */
    size_t n_attrs;
    const struct type *type; /* object of all attributes */
};

struct schema_parameter {
    struct str name;
    const struct type *type;
    struct str description;
    enum schema_text description_kind;
    bool allow_null, allow_unknown;
};

struct schema_function {
    const struct schema_parameter *parameters; /* in order of the call */
    size_t n_parameters;
    const struct schema_parameter *variadic; /* NULL: none */
    const struct type *return_type;
    struct str summary, description, deprecation_message;
    enum schema_text description_kind;
};

/* What the provider says it can do; never inferred from a version. */
struct server_capabilities {
    bool plan_destroy;
    bool get_provider_schema_optional;
    bool move_resource_state;
    bool generate_resource_config;
};

struct provider_schema {
    struct arena *arena;
    const struct schema *provider;      /* never NULL; may have an empty block */
    const struct schema *provider_meta; /* NULL: none */
    /* Name -> const struct schema *, sorted by name. */
    struct map resources, data_sources, ephemerals, lists, actions, state_stores;
    struct map identities; /* resource type -> const struct schema_identity * */
    struct map functions;  /* name -> const struct schema_function * */
    struct server_capabilities capabilities;
};

/* The sections of a provider's schema that are maps, in the order in which Terraform prints them. */
enum schema_section {
    SECTION_RESOURCES,
    SECTION_DATA_SOURCES,
    SECTION_EPHEMERALS,
    SECTION_LISTS,
    SECTION_FUNCTIONS,
    SECTION_IDENTITIES,
    SECTION_ACTIONS,
    SECTION_STATE_STORES,
    SECTION_COUNT,
};
const struct map *provider_schema_section(const struct provider_schema *s, enum schema_section section);
/* The same for filling. */
struct map *provider_schema_fill(struct provider_schema *s, enum schema_section section);

/* NULL when absent. */
const struct schema_attr *schema_block_attr(const struct schema_block *b, struct str name);
const struct schema_nested_block *schema_block_block(const struct schema_block *b, struct str name);
const struct schema_attr *schema_object_attr(const struct schema_object *o, struct str name);

/* Attributes null, SINGLE null, GROUP its own empty value, LIST/SET/MAP empty. */
const struct value *schema_empty_value(struct arena *a, const struct schema_block *b);
const struct value *schema_empty_nested(struct arena *a, const struct schema_nested_block *b);
