/*
 * The schema of a provider: its resource types, and the attributes and blocks of each.
 *
 * Decoded once per provider version (from the protocol by plugin, or from a file), then read-only, so all threads may share it.
 * Everything is allocated in one arena. The protocol version is not visible here.
 *
 * Decoders fill drafts (the structs below, in their own memory, in any order, with texts anywhere) and pass them to a builder
 * (schema_build.h), which returns the final form. In the final form:
 * - attributes and blocks are sorted by name, and names are unique (of duplicates the last one wins, as in Terraform);
 * - equal parts are shared: equal texts, types, attribute lists or blocks have the same pointer (in aws a block occurs ten times
 *   on average);
 * - the value types are filled in.
 *
 * Any provider's schema has a final form, even one that breaks the rules: the rules are checked separately (schema_check.h).
 */
#pragma once

#include "base/map.h"
#include "value/type.h"
#include "value/value.h"

/* Maximum depth of nested blocks and nested attributes, counted together. The deepest resource of aws 5 has 15 levels. */
enum { SCHEMA_MAX_DEPTH = 48 };

enum schema_nesting {
    NESTING_INVALID, /* an unknown mode: printed as invalid, typed like SINGLE, refused by the checks */
    NESTING_SINGLE,
    NESTING_LIST,
    NESTING_SET,
    NESTING_MAP,
    NESTING_GROUP, /* blocks only: like SINGLE, but never null */
};

enum schema_text { TEXT_PLAIN, TEXT_MARKDOWN };

struct schema_attr;

/* The object of a nested attribute. min_items and max_items are deprecated in the protocol, never printed and not enforced. */
struct schema_object {
    enum schema_nesting nesting; /* not GROUP */
    const struct schema_attr *attrs;
    size_t n_attrs;
    int64_t min_items, max_items;
    unsigned levels; /* as in schema_block */
};

struct schema_attr {
    struct str name;
    const struct type *type;            /* exactly one of type ... */
    const struct schema_object *nested; /* ... and nested is set, or the checks refuse it */
    const struct type *value_type; /* of its values, from `type` or `nested`, without optional marks; DYNAMIC if neither is set */
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
    const struct type *type; /* object of its attributes and blocks; the last member, because it follows from the others */
};

struct schema_nested_block {
    struct str name;
    enum schema_nesting nesting;
    const struct schema_block *block;
    int64_t min_items, max_items; /* max 0: no limit */
    /*
     * SINGLE and GROUP: an object; LIST, SET and MAP: a collection of objects. If the object contains DYNAMIC, the type of LIST
     * and MAP is DYNAMIC as a whole: each value is a tuple or an object with its own type.
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

/* What the provider declares that it can do; never inferred from a version. */
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

/* The sections of a provider's schema that are maps, in the order Terraform prints them. */
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
/* The same, writable, for decoders. */
struct map *provider_schema_fill(struct provider_schema *s, enum schema_section section);

/* NULL when absent. */
const struct schema_attr *schema_block_attr(const struct schema_block *b, struct str name);
const struct schema_nested_block *schema_block_block(const struct schema_block *b, struct str name);
const struct schema_attr *schema_object_attr(const struct schema_object *o, struct str name);

/* The empty value of a block: attributes and SINGLE blocks are null, GROUP blocks have their own empty value, LIST, SET and MAP
 * are empty. */
const struct value *schema_empty_value(struct arena *a, const struct schema_block *b);
const struct value *schema_empty_nested(struct arena *a, const struct schema_nested_block *b);
