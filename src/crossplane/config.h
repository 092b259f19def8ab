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

enum flavour { FLAVOUR_CLUSTER = 1, FLAVOUR_NAMESPACED = 2, FLAVOUR_BOTH = 3 };

#define DATA_SOURCE_PREFIX "data."

enum said { SAID_NOTHING, SAID_NO, SAID_YES };

enum scalar_type { SCALAR_UNSET, SCALAR_STRING, SCALAR_NUMBER, SCALAR_INTEGER, SCALAR_BOOLEAN, SCALAR_ANY };

struct reference_rule {
    struct str to;            /* Terraform type */
    struct str attribute;     /* of the other object, as Terraform has it; empty: its external name */
    struct str function;      /* how another tool gets the value, where that is not known to us: kept for the record */
    struct str ref, selector; /* names of the two fields, in camel case; empty: the usual ones */
    uint32_t line;
};

/* How a list or map is merged by server-side apply. */
struct merge_rule {
    struct str list_type; /* atomic, set, map; empty: as it is */
    struct str map_type;  /* atomic, granular; empty: as it is */
    struct str_list keys;
    struct str inject_key; /* a text property put into every element, to serve as key */
    const struct json *inject_default;
};

/* What rules say of one field. */
struct field_settings {
    enum said omit, identifier, sensitive, optional, computed, required, status_only, embed, immutable;
    enum said late_init;    /* false: never copied from the provider into the spec */
    enum said late_init_if; /* false: not copied when initProvider has it */
    enum scalar_type type;
    struct str name; /* in manifests */
    struct str description;
    const struct reference_rule *reference;
    const struct merge_rule *merge;
};

struct field_rule {
    struct str pattern; /* of paths */
    uint32_t line, column;
    bool implied; /* follows from another line: may match nothing */
    struct field_settings set;
    _Atomic bool used;
};

struct linked_rules {
    struct field_rule *v;
    size_t n, cap;
};

struct added_field {
    struct str tree; /* forProvider, initProvider, atProvider */
    struct str path; /* of names in manifests */
    const struct json *schema;
    uint32_t line;
    _Atomic bool used;
};

/* One entry of `resources`, or the part of it for one flavour. */
struct resource_rule {
    struct str pattern; /* of Terraform types */
    uint32_t line, column;
    enum flavour flavour;
    bool exact; /* no wildcard in it */
    _Atomic bool used;

    bool has_group, has_external_name, has_async, has_tags;
    struct str group, kind, version, plural;
    struct str_list short_names, other_versions;
    struct str description;
    struct external_name external_name;
    bool async;
    struct str tags;                                                      /* argument that default tags go to; empty: none */
    int64_t timeout_create, timeout_read, timeout_update, timeout_delete; /* seconds, 0: unset */
    VEC(struct field_rule) fields;
    VEC(struct added_field) added;
};

/*
 * What to do where Upjet's rules ask for more than Terraform does. Shape of Upjet: manifests and tools see exactly what they know
 * (a required secret is `required` in initProvider too, a SINGLE block is required when something in it is).
 */
enum config_shape { SHAPE_OF_TERRANE, SHAPE_OF_UPJET };

struct docs;

/* A file named in the configuration. */
struct config_file_name {
    struct str name; /* as written */
    uint32_t line, column;
};

struct config {
    struct arena *arena;
    const char *source;  /* file name, for messages; NULL: defaults */
    struct str provider; /* type name, as aws */
    struct str short_name;
    struct str root_cluster, root_namespaced;
    struct str version;
    struct str description;  /* of the provider */
    const struct docs *docs; /* documentation of its arguments (docs.h); NULL: none */
    enum config_shape shape;
    bool embed_singletons, init_provider, references_in_init, secrets_in_init;
    bool listed_only; /* only types that a rule names in full */
    struct names names;
    VEC(struct resource_rule) rules;
    VEC(struct config_file_name) links; /* link tables (docs/links.md) */
    struct map linked;                  /* type -> the field rules that they make; filled by config_link() */
    struct pattern_list {
        struct str *v;
        uint32_t *lines;
        _Atomic bool *used;
        size_t n;
    } include, exclude;
};

/* What a provider gets that has no file. `provider` is its type name. */
struct config *config_default(struct arena *a, struct str provider);
/* NULL and diagnostics with SOURCE:LINE:COLUMN; all mistakes of the file at once. */
struct config *config_read(struct arena *a, struct str text, const char *source, struct diags *diags);

/*
 * Reads the link tables that the file names, relative to its own folder, and makes references of them: for every argument that is
 * a text or a list or set of texts, and that may hold an attribute of another type that is generated. What the file itself says
 * of a field comes after them and wins. Call it once, before anything is resolved.
 */
struct provider_schema;
bool config_link(struct config *c, const struct provider_schema *schema, struct diags *diags);

/* Does the file want this type? Marks patterns as used. */
bool config_includes(const struct config *c, struct str type);

/* All that applies to one type and flavour, merged; field rules in order of application. */
struct resource_config {
    const struct config *config;
    struct arena *arena;
    struct str type;
    enum flavour flavour;
    bool has_group;
    struct str group, kind, version, plural, description, tags;
    struct str_list short_names, other_versions;
    struct external_name external_name;
    bool async;
    int64_t timeout_create, timeout_read, timeout_update, timeout_delete;
    struct field_rule **fields;
    size_t n_fields;
    struct added_field **added;
    size_t n_added;
};
static inline bool config_is_data_source(const struct resource_config *r)
{
    return str_starts(r->type, STR(DATA_SOURCE_PREFIX));
}
void config_resolve(const struct config *c, struct arena *a, struct str type, enum flavour flavour, struct resource_config *ret);
/* Do the flavours of this type differ in more than what every type has? Then each needs a model of its own. */
bool config_flavours_differ(const struct config *c, struct str type);
/* Merged settings of the field at this path; marks rules as used. False: no rule says anything. */
bool config_field(const struct resource_config *r, struct str path, struct field_settings *ret);
/* The same, just to know: no rule is marked. */
bool config_field_peek(const struct resource_config *r, struct str path, struct field_settings *ret);

/*
 * Diagnostics for rules that never matched, with suggestions from the schema. `types` has all types that may be generated with
 * their schemas, data sources last. Call when all were built.
 */
bool config_check_used(const struct config *c, const struct map *types, struct diags *diags);

/* The JSON Schema of the file, for editors. */
void config_write_schema(struct buf *out);
