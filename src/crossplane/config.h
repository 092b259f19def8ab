/*
 * The configuration of one provider: what its schema does not say. One YAML file (docs/provider-config.md has an example), read
 * once, then read-only except for the marks that a rule was used.
 *
 * Each setting of a field is a rule: a pattern of resource types, a pattern of paths, and settings. All matching rules apply in
 * the order of the file, and later rules override earlier ones; so a first entry for "*" sets defaults that later entries refine.
 *
 * Data sources are named as in Terraform addresses: data.aws_ami.
 *
 * A path that begins with a capital letter consists of Go names (ElasticPoolID), as in lists of other tools, without wildcards.
 *
 * Patterns are those of links/pattern.h; paths have no indices.
 */
#pragma once

#include "base/vec.h"
#include "crossplane/external_name.h"
#include "crossplane/names.h"
#include "links/pattern.h"

#include <stdatomic.h>

enum xp_flavour { FLAVOUR_CLUSTER = 1, FLAVOUR_NAMESPACED = 2, FLAVOUR_BOTH = 3 };

#define DATA_SOURCE_PREFIX "data."

enum xp_said { SAID_NOTHING, SAID_NO, SAID_YES };

enum xp_scalar_type { SCALAR_UNSET, SCALAR_STRING, SCALAR_NUMBER, SCALAR_INTEGER, SCALAR_BOOLEAN, SCALAR_ANY };

/* A file that a configuration was read from. */
struct xp_config_source {
    const char *name;
    bool shipped; /* ships with Terrane, for all versions of the provider: a rule that matches nothing is not a mistake */
};

struct xp_reference_rule {
    const struct xp_config_source *source; /* NULL: from a link table */
    struct str to;                         /* Terraform type */
    struct str attribute;                  /* Terraform attribute of the other object; empty: its external name */
    struct str function;                   /* Upjet's function for the value, if no attribute has it (managed/references.c) */
    struct str ref, selector;              /* names of the two fields, in camel case; empty: defaults */
    uint32_t line;
};

/* How server-side apply merges a list or map. */
struct xp_merge_rule {
    struct str list_type; /* atomic, set, map; empty: default */
    struct str map_type;  /* atomic, granular; empty: default */
    struct xp_str_list keys;
    struct str inject_key; /* a string property added to every element as a key */
    const struct json *inject_default;
};

/* The settings of one field. */
struct xp_field_settings {
    enum xp_said omit, identifier, sensitive, optional, computed, required, status_only, embed, immutable;
    enum xp_said late_init;    /* false: never copied from the provider into the spec */
    enum xp_said late_init_if; /* false: not copied when initProvider has it */
    enum xp_scalar_type type;
    struct str name; /* name in manifests */
    struct str description;
    const struct xp_reference_rule *reference;
    const struct xp_merge_rule *merge;
};

struct xp_field_rule {
    struct str pattern; /* of paths */
    uint32_t line, column;
    bool implied; /* implied by another line: may match nothing */
    struct xp_field_settings set;
    _Atomic bool used;
};

struct xp_linked_rules {
    struct xp_field_rule *v;
    size_t n, cap;
};

struct xp_added_field {
    struct str tree; /* forProvider, initProvider, atProvider */
    struct str path; /* of names in manifests */
    const struct json *schema;
    uint32_t line;
    _Atomic bool used;
};

/* An argument of the provider configuration that each object may override. */
struct xp_provider_argument {
    struct str name;   /* Terraform's name */
    enum xp_said said; /* SAID_NO: these kinds do not have it */
    bool required;
};

/* A flag in forProvider: if it is set and the secret that the argument refers to does not exist, one is generated. */
struct xp_generated_secret {
    struct str path; /* of the argument */
    struct str name; /* of the flag, in Terraform's snake case */
};

/* A field that has another name in older API versions of the kind; paths as in manifests, in the newest version's shape. */
struct xp_renamed_field {
    struct str old, new;
};

/* A key of the connection secret, in addition to those of sensitive attributes. */
struct xp_connection_detail {
    struct str key;  /* each * is replaced by the index of the element that the path's [*] matches */
    struct str path; /* of the attribute */
};

/* One entry of `resources`, or its part for one flavour. */
struct xp_resource_rule {
    const struct xp_config_source *source;
    struct str pattern; /* of Terraform types */
    uint32_t line, column;
    enum xp_flavour flavour;
    bool exact;              /* without wildcards */
    const struct map *types; /* the types it matches, if its only wildcards are alternatives; NULL: match the pattern */
    _Atomic bool used;

    bool has_group, has_external_name, has_async, has_tags;
    struct str group, kind, version, plural;
    struct xp_str_list short_names, other_versions;
    struct str description;
    struct xp_external_name external_name;
    bool async;
    struct str tags;                                                      /* argument for default tags; empty: none */
    int64_t timeout_create, timeout_read, timeout_update, timeout_delete; /* seconds, 0: unset */
    VEC(struct xp_field_rule) fields;
    VEC(struct xp_added_field) added;
    VEC(struct xp_provider_argument) provider_arguments;
    VEC(struct xp_generated_secret) generated_secrets;
    VEC(struct xp_renamed_field) renamed;
    VEC(struct xp_connection_detail) connection_details;
};

/* How closely kinds follow Upjet's; each level includes the previous ones (docs/compatibility.md). */
enum xp_compat {
    COMPAT_OWN,         /* nothing is stricter than Terraform */
    COMPAT_UPJET,       /* also Upjet's stricter rules, which manifests and tools expect */
    COMPAT_UPJET_EXACT, /* also Upjet's bugs, for comparison */
};
/* The names that users write, separated by blanks, in order of the enum. */
#define COMPAT_NAMES "own upjet upjet-exact"
const char *xp_compat_name(enum xp_compat compat);
/* False if there is no such name. */
bool xp_compat_named(struct str name, enum xp_compat *ret);

struct xp_docs;

/* Something that an attribute of a data source has: account_id of aws_caller_identity. */
struct xp_data_attribute {
    struct str name;
    struct str data_source, attribute;
};
struct xp_data_attributes {
    struct xp_data_attribute *v;
    size_t n, cap;
};

/* A file that the configuration refers to. */
struct xp_config_file_name {
    const struct xp_config_source *source;
    struct str name; /* as written */
    uint32_t line, column;
};

struct xp_config {
    struct arena *arena;
    const char *source;  /* name of the last file, for messages; NULL: defaults */
    struct str provider; /* type name, for example aws */
    struct str short_name;
    struct str root_cluster, root_namespaced;
    struct str version;
    struct str description;     /* of the provider */
    const struct xp_docs *docs; /* documentation of its arguments (docs.h); NULL: none */
    enum xp_compat compat;
    bool embed_singletons, init_provider, references_in_init, secrets_in_init;
    /* Behaviour of other Upjet releases. */
    bool ssa_markers;           /* collections of scalars have markers for server-side apply */
    bool single_block_computed; /* Upjet's bug with SINGLE blocks; COMPAT_UPJET_EXACT only */
    bool old_envelope;          /* spec and status around the trees as of 2023 */
    bool listed_only;           /* only types with a rule for exactly this name */
    struct xp_names names;
    VEC(struct xp_resource_rule) rules;
    const struct json *provider_config; /* properties of a ProviderConfig's spec -> OpenAPI; NULL: default */
    /* .setup.client_metadata.NAME in id templates; read once per ProviderConfig with an empty configuration. */
    struct xp_data_attributes client_metadata;
    struct xp_data_attributes found_by_tags; /* resource type -> its ids, in a data source that takes `tags` */
    VEC(struct xp_config_file_name) links;   /* link tables (docs/links.md) */
    struct map linked;                       /* type -> field rules from the link tables; filled by xp_config_link() */
    struct pattern_list {
        const struct xp_config_source *source;
        struct str *v;
        uint32_t *lines;
        _Atomic bool *used;
        size_t n;
    } include, exclude;
};

/* Is it a valid provider type name (the last part of its address)? Group, Go module and package are named after it. */
bool xp_config_check_provider(struct str name, struct diags *diags);

/* The configuration of a provider without a file. `provider` is its type name. */
struct xp_config *xp_config_default(struct arena *a, struct str provider);
/* On errors returns NULL and reports all mistakes of the file, with SOURCE:LINE:COLUMN. */
struct xp_config *xp_config_read(struct arena *a, struct str text, const char *source, struct diags *diags);
/* Adds a file on top of `c`: its settings override, its rules come later. False and diagnostics if it is invalid. */
bool xp_config_read_over(struct xp_config *c, struct str text, struct xp_config_source source, struct diags *diags);
/* Sets *ret: does the key `source` of this file name the provider at this address (HOST/NAMESPACE/TYPE)? False if not YAML. */
bool xp_config_is_for(struct str text, const char *source, struct str address, struct diags *diags, bool *ret);

/*
 * Reads the link tables that the file names, relative to its own folder, and makes references from them: for every argument that
 * is a string or a list or set of strings and may hold an attribute of another generated type. The file's own rules come later
 * and win. Call it once, before any type is resolved.
 */
struct provider_schema;
bool xp_config_link(struct xp_config *c, const struct provider_schema *schema, struct diags *diags);

/* Does the file include this type? Marks patterns as used. */
bool xp_config_includes(const struct xp_config *c, struct str type);

/* Everything that applies to one type and flavour, merged; field rules in order of application. */
struct xp_resource_config {
    const struct xp_config *config;
    struct arena *arena;
    struct str type;
    enum xp_flavour flavour;
    enum xp_compat compat;
    bool has_group;
    struct str group, kind, version, plural, description, tags;
    struct xp_str_list short_names, other_versions;
    struct xp_external_name external_name;
    bool async;
    int64_t timeout_create, timeout_read, timeout_update, timeout_delete;
    struct xp_field_rule **fields;
    size_t n_fields;
    struct xp_added_field **added;
    size_t n_added;
    struct xp_provider_argument *provider_arguments;
    size_t n_provider_arguments;
    struct xp_generated_secret *generated_secrets;
    size_t n_generated_secrets;
    struct xp_renamed_field *renamed;
    size_t n_renamed;
    struct xp_connection_detail *connection_details;
    size_t n_connection_details;
};
static inline bool xp_config_is_data_source(const struct xp_resource_config *r)
{
    return str_starts(r->type, STR(DATA_SOURCE_PREFIX));
}
void xp_config_resolve(const struct xp_config *c, struct arena *a, struct str type, enum xp_flavour flavour,
                       struct xp_resource_config *ret);
/* Do the flavours of this type differ by configuration? Then each needs its own model. */
bool xp_config_flavours_differ(const struct xp_config *c, struct str type);
/* The merged settings of the field at this path; marks rules as used. False if no rule matches. */
bool xp_config_field(const struct xp_resource_config *r, struct str path, struct xp_field_settings *ret);
/* The same, without marking rules as used. */
bool xp_config_field_peek(const struct xp_resource_config *r, struct str path, struct xp_field_settings *ret);

/*
 * Reports rules that never matched, with suggestions from the schema. `types` has all types that can be generated, with their
 * schemas, data sources last. Call it after all kinds were built.
 */
bool xp_config_check_used(const struct xp_config *c, const struct map *types, struct diags *diags);

/* The JSON Schema of the file, for editors. */
void xp_config_write_schema(struct buf *out);
