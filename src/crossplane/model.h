/*
 * The model of one kind, on which all Crossplane support is based. One pass makes it from a schema and the configuration; then it
 * is read-only, and every generator (CRDs, Go types, examples, documentation) and the controller only walk it.
 *
 * A kind has three trees of fields:
 *
 *     forProvider   what the user wants
 *     initProvider  what the user wants at creation only; forProvider takes precedence
 *     atProvider    what the provider reports; a superset of forProvider without secrets
 *
 * Every field has its Terraform attribute (`attr`), its name in manifests (`json`) and in Go (`go`), its role, and its shape.
 * Fields of an object are sorted by their unique name in manifests. One attribute has up to five fields: the value (or instead a
 * reference to a secret) in each tree, and a reference to another object and a selector.
 */
#pragma once

#include "crossplane/tree.h"

enum xp_shape_kind {
    SHAPE_STRING,
    SHAPE_NUMBER,
    SHAPE_INTEGER,
    SHAPE_BOOL,
    SHAPE_ANY,        /* any JSON value */
    SHAPE_LIST,       /* of `element` */
    SHAPE_SET,        /* written as a list */
    SHAPE_MAP,        /* keys are strings */
    SHAPE_OBJECT,     /* of `fields` */
    SHAPE_SECRET_KEY, /* one key of a secret: {name, namespace, key} */
    SHAPE_SECRET,     /* a whole secret as a map of strings: {name, namespace} */
    SHAPE_REFERENCE,  /* to another object: {name, namespace, policy} */
    SHAPE_SELECTOR,   /* {matchLabels, matchControllerRef, namespace, policy} */
    SHAPE_RAW,        /* OpenAPI from the configuration: `raw` */
};

enum xp_list_type { LIST_PLAIN, LIST_ATOMIC, LIST_OF_SET, LIST_OF_MAP };
enum xp_map_type { MAP_PLAIN, MAP_ATOMIC, MAP_GRANULAR };

struct xp_field;

struct xp_fields {
    const struct xp_field *v;
    size_t n;
};

struct xp_shape {
    enum xp_shape_kind kind;
    enum xp_list_type list_type; /* x-kubernetes-list-type */
    enum xp_map_type map_type;   /* x-kubernetes-map-type */
    bool singleton;              /* OBJECT: a list or set of at most one element in Terraform */
    bool json_secret;            /* SECRET_KEY: the key contains the value as JSON, not as plain text */
    const struct xp_shape *element;
    struct xp_fields fields;
    struct xp_str_list keys; /* x-kubernetes-list-map-keys */
    const struct json *raw;
};

enum xp_field_role { FIELD_VALUE, FIELD_SECRET_REF, FIELD_REFERENCE, FIELD_SELECTOR, FIELD_INJECTED, FIELD_ADDED };

struct xp_field {
    const struct xp_tree_attr *attr; /* NULL: INJECTED, ADDED */
    struct str json, go;
    enum xp_field_role role;
    const struct xp_shape *shape;
    bool required;                 /* in `required` of its object */
    bool immutable;                /* may not be changed once set */
    const struct json *by_default; /* INJECTED */
};

enum xp_tree_name { FOR_PROVIDER, INIT_PROVIDER, AT_PROVIDER, N_TREES };
extern const char *const xp_tree_names[N_TREES];

/* A parameter that must be set in forProvider or initProvider when the object is created or changed. */
struct xp_required_rule {
    struct str json;   /* for messages */
    struct str in_cel; /* for has(self.X) */
    bool init;         /* may be set in initProvider */
};

/* Where a secret value is. */
struct xp_secret {
    struct str terraform; /* password, rule[*].key */
    struct str object;    /* inputs: passwordSecretRef, relative to the tree; outputs: status.atProvider.password */
    bool output;          /* goes to the connection secret */
    bool json;            /* the value is written as JSON */
};

struct xp_kind {
    struct str terraform_type;                                    /* data sources have the prefix "data." */
    bool data_source;                                             /* read-only: no initProvider, policy Observe */
    enum xp_flavour flavour;                                      /* FLAVOUR_BOTH: valid for both */
    struct str group, kind, plural, singular, list_kind, version; /* group without root group */
    struct str description;
    struct xp_resource_config config;
    struct xp_tree tree;
    struct xp_fields trees[N_TREES];
    bool has_init;
    const struct xp_required_rule *rules;
    size_t n_rules;
    const struct xp_secret *secrets; /* sorted by path */
    size_t n_secrets;
};

/* The full group in this flavour. */
struct str xp_kind_group(struct arena *a, const struct xp_kind *k, enum xp_flavour flavour);

/* What could not be represented exactly, or not at all. Each note is a sentence about one field of one type. */
enum xp_note_kind { NOTE_REPRESENTED /* differently from other tools */, NOTE_REDUCED /* something is lost */, NOTE_REFUSED };
struct xp_note {
    enum xp_note_kind kind;
    struct str type, path, text;
};
struct xp_notes {
    struct arena *arena;
    struct xp_note *v;
    size_t n, cap;
};
void xp_notes_add(struct xp_notes *n, enum xp_note_kind kind, struct str type, struct str path, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

enum xp_model_result { MODEL_OK, MODEL_REFUSED /* Upjet does not support it; noted */, MODEL_FAILED /* diagnostics */ };

/* Sets only the names, which is enough to detect conflicts between kinds. */
void xp_kind_names(struct arena *a, const struct xp_resource_config *config, struct xp_kind *k);

/* Allocates in `a`; `config` is for one flavour. */
enum xp_model_result xp_kind_build(struct arena *a, struct str type, const struct schema *s,
                                   const struct xp_resource_config *config, struct xp_notes *notes, struct diags *diags,
                                   struct xp_kind *ret);
