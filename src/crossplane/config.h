/*
 * The configuration of one provider: what its schema cannot tell. One YAML file (docs/provider-config.md has an example), read
 * once, then read-only but for the marks that a rule was used.
 *
 * Everything said of a field is a rule: a pattern of resource types, a pattern of paths, and settings. All rules that match
 * apply in the order of the file, later ones over earlier ones; so a first entry for "*" serves all, and one of its own refines.
 *
 * A data source is called as Terraform's addresses have it: data.aws_ami.
 *
 * A path whose first letter is a capital is of Go names (ElasticPoolID), as lists of other tools have them, without wildcards.
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
    bool shipped; /* with Terrane, for other versions of the provider too: what matches nothing in this one is no mistake */
};

struct xp_reference_rule {
    const struct xp_config_source *source; /* NULL: made of a link table */
    struct str to;                         /* Terraform type */
    struct str attribute;                  /* of the other object, as Terraform has it; empty: its external name */
    struct str function;      /* how an Upjet provider makes the value, where no attribute is it (managed/references.c) */
    struct str ref, selector; /* names of the two fields, in camel case; empty: the usual ones */
    uint32_t line;
};

/* How a list or map is merged by server-side apply. */
struct xp_merge_rule {
    struct str list_type; /* atomic, set, map; empty: as it is */
    struct str map_type;  /* atomic, granular; empty: as it is */
    struct xp_str_list keys;
    struct str inject_key; /* a text property put into every element, to serve as key */
    const struct json *inject_default;
};

/* What rules say of one field. */
struct xp_field_settings {
    enum xp_said omit, identifier, sensitive, optional, computed, required, status_only, embed, immutable;
    enum xp_said late_init;    /* false: never copied from the provider into the spec */
    enum xp_said late_init_if; /* false: not copied when initProvider has it */
    enum xp_scalar_type type;
    struct str name; /* in manifests */
    struct str description;
    const struct xp_reference_rule *reference;
    const struct xp_merge_rule *merge;
};

struct xp_field_rule {
    struct str pattern; /* of paths */
    uint32_t line, column;
    bool implied; /* follows from another line: may match nothing */
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

/* An argument of the provider's own configuration that each object may give for itself. */
struct xp_provider_argument {
    struct str name;   /* as Terraform has it */
    enum xp_said said; /* SAID_NO: not in these kinds */
    bool required;
};

/* A flag in forProvider: when it is set and the secret that the argument refers to is absent, one is made up. */
struct xp_generated_secret {
    struct str path; /* of the argument */
    struct str name; /* of the flag, as Terraform would have it */
};

/* A field that older versions of the kind's API have under another name; paths as manifests have them, in the newest version's
 * shape. */
struct xp_renamed_field {
    struct str old, new;
};

/* A key of the connection secret beside those of secret attributes. */
struct xp_connection_detail {
    struct str key;  /* each * in it is the place of the element that the path's [*] stands for */
    struct str path; /* of the attribute */
};

/* One entry of `resources`, or the part of it for one flavour. */
struct xp_resource_rule {
    const struct xp_config_source *source;
    struct str pattern; /* of Terraform types */
    uint32_t line, column;
    enum xp_flavour flavour;
    bool exact;              /* no wildcard in it */
    const struct map *types; /* what it matches, where it has alternatives only; NULL: to be matched */
    _Atomic bool used;

    bool has_group, has_external_name, has_async, has_tags;
    struct str group, kind, version, plural;
    struct xp_str_list short_names, other_versions;
    struct str description;
    struct xp_external_name external_name;
    bool async;
    struct str tags;                                                      /* argument that default tags go to; empty: none */
    int64_t timeout_create, timeout_read, timeout_update, timeout_delete; /* seconds, 0: unset */
    VEC(struct xp_field_rule) fields;
    VEC(struct xp_added_field) added;
    VEC(struct xp_provider_argument) provider_arguments;
    VEC(struct xp_generated_secret) generated_secrets;
    VEC(struct xp_renamed_field) renamed;
    VEC(struct xp_connection_detail) connection_details;
};

/* How far kinds are as Upjet makes them; each step is one with all of those before it (docs/compatibility.md). */
enum xp_compat {
    COMPAT_OWN,         /* nothing is stricter than Terraform */
    COMPAT_UPJET,       /* also where Upjet's rules ask for more: what manifests and tools know */
    COMPAT_UPJET_EXACT, /* also with its faults, for comparing */
};
/* As users write it, separated by blanks, in this order. */
#define COMPAT_NAMES "own upjet upjet-exact"
const char *xp_compat_name(enum xp_compat compat);
/* False: there is no such name. */
bool xp_compat_named(struct str name, enum xp_compat *ret);

struct xp_docs;

/* What templates of ids call .setup.client_metadata.NAME: an attribute of a data source, read once for a ProviderConfig. */
struct xp_client_metadata {
    struct str name;
    struct str data_source, attribute; /* aws_caller_identity, account_id; an empty configuration is all it takes */
};

/* A file named in the configuration. */
struct xp_config_file_name {
    const struct xp_config_source *source;
    struct str name; /* as written */
    uint32_t line, column;
};

struct xp_config {
    struct arena *arena;
    const char *source;  /* name of the last file, for messages; NULL: defaults */
    struct str provider; /* type name, as aws */
    struct str short_name;
    struct str root_cluster, root_namespaced;
    struct str version;
    struct str description;     /* of the provider */
    const struct xp_docs *docs; /* documentation of its arguments (docs.h); NULL: none */
    enum xp_compat compat;
    bool embed_singletons, init_provider, references_in_init, secrets_in_init;
    /* What other releases of Upjet did. */
    bool ssa_markers;           /* collections of scalars say how server-side apply merges them */
    bool single_block_computed; /* the fault of SINGLE blocks; COMPAT_UPJET_EXACT only */
    bool old_envelope;          /* the frame of 2023 */
    bool listed_only;           /* only types that a rule names in full */
    struct xp_names names;
    VEC(struct xp_resource_rule) rules;
    const struct json *provider_config; /* properties of the spec of ProviderConfigs -> OpenAPI; NULL: the usual */
    VEC(struct xp_client_metadata) client_metadata;
    VEC(struct xp_config_file_name) links; /* link tables (docs/links.md) */
    struct map linked;                     /* type -> the field rules that they make; filled by xp_config_link() */
    struct pattern_list {
        const struct xp_config_source *source;
        struct str *v;
        uint32_t *lines;
        _Atomic bool *used;
        size_t n;
    } include, exclude;
};

/* Is it the type name of a provider, the last part of its address? Group, Go module and package are called after it. */
bool xp_config_check_provider(struct str name, struct diags *diags);

/* What a provider gets that has no file. `provider` is its type name. */
struct xp_config *xp_config_default(struct arena *a, struct str provider);
/* NULL and diagnostics with SOURCE:LINE:COLUMN; all mistakes of the file at once. */
struct xp_config *xp_config_read(struct arena *a, struct str text, const char *source, struct diags *diags);
/* A file that lies over what has been read: its settings win, its rules come later. False and diagnostics: it cannot be used. */
bool xp_config_read_over(struct xp_config *c, struct str text, struct xp_config_source source, struct diags *diags);
/* Is a file with this text for the provider with this address (HOST/NAMESPACE/TYPE), by its key `source`? False: it is not YAML.
 */
bool xp_config_is_for(struct str text, const char *source, struct str address, struct diags *diags, bool *ret);

/*
 * Reads the link tables that the file names, relative to its own folder, and makes references of them: for every argument that is
 * a text or a list or set of texts, and that may hold an attribute of another type that is generated. What the file itself says
 * of a field comes after them and wins. Call it once, before anything is resolved.
 */
struct provider_schema;
bool xp_config_link(struct xp_config *c, const struct provider_schema *schema, struct diags *diags);

/* Does the file want this type? Marks patterns as used. */
bool xp_config_includes(const struct xp_config *c, struct str type);

/* All that applies to one type and flavour, merged; field rules in order of application. */
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
/* Do the flavours of this type differ in more than what every type has? Then each needs a model of its own. */
bool xp_config_flavours_differ(const struct xp_config *c, struct str type);
/* Merged settings of the field at this path; marks rules as used. False: no rule says anything. */
bool xp_config_field(const struct xp_resource_config *r, struct str path, struct xp_field_settings *ret);
/* The same, just to know: no rule is marked. */
bool xp_config_field_peek(const struct xp_resource_config *r, struct str path, struct xp_field_settings *ret);

/*
 * Diagnostics for rules that never matched, with suggestions from the schema. `types` has all types that may be generated with
 * their schemas, data sources last. Call when all were built.
 */
bool xp_config_check_used(const struct xp_config *c, const struct map *types, struct diags *diags);

/* The JSON Schema of the file, for editors. */
void xp_config_write_schema(struct buf *out);
