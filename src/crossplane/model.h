/*
 * The model of one kind: the centre of the Crossplane door. One pass makes it from a schema and the configuration; from then on
 * it is read-only, and every generator (CRDs, Go types, examples, documentation) and the run time only walk it.
 *
 * A kind has three trees of fields:
 *
 *     forProvider   what the user wants
 *     initProvider  what the user wants at creation only; wins nothing over forProvider
 *     atProvider    what the provider says; a superset of forProvider without secrets
 *
 * Every field knows the Terraform attribute it stands for (`attr`), its name in manifests (`json`) and in Go (`go`), its role,
 * and its shape. Fields of an object are sorted by their name in manifests, names are unique. One attribute has up to five
 * fields: itself in each tree, or instead a reference to a secret, and beside it a reference to another object and a selector.
 */
#pragma once

#include "crossplane/tree.h"

enum shape_kind {
    SHAPE_STRING,
    SHAPE_NUMBER,
    SHAPE_INTEGER,
    SHAPE_BOOL,
    SHAPE_ANY,        /* any JSON value */
    SHAPE_LIST,       /* of `element` */
    SHAPE_SET,        /* written as a list */
    SHAPE_MAP,        /* keys are texts */
    SHAPE_OBJECT,     /* of `fields` */
    SHAPE_SECRET_KEY, /* one key of a secret: {name, namespace, key} */
    SHAPE_SECRET,     /* a whole secret as map of text: {name, namespace} */
    SHAPE_REFERENCE,  /* to another object: {name, namespace, policy} */
    SHAPE_SELECTOR,   /* {matchLabels, matchControllerRef, namespace, policy} */
    SHAPE_RAW,        /* OpenAPI by the configuration: `raw` */
};

enum list_type { LIST_PLAIN, LIST_ATOMIC, LIST_OF_SET, LIST_OF_MAP };
enum map_type { MAP_PLAIN, MAP_ATOMIC, MAP_GRANULAR };

struct field;

struct fields {
    const struct field *v;
    size_t n;
};

struct shape {
    enum shape_kind kind;
    enum list_type list_type; /* x-kubernetes-list-type */
    enum map_type map_type;   /* x-kubernetes-map-type */
    bool singleton;           /* OBJECT: Terraform has a list or set of at most one here */
    bool json_secret;         /* SECRET_KEY: the key holds the value as JSON, not as text */
    const struct shape *element;
    struct fields fields;
    struct str_list keys; /* x-kubernetes-list-map-keys */
    const struct json *raw;
};

enum field_role { FIELD_VALUE, FIELD_SECRET_REF, FIELD_REFERENCE, FIELD_SELECTOR, FIELD_INJECTED, FIELD_ADDED };

struct field {
    const struct tree_attr *attr; /* NULL: INJECTED, ADDED */
    struct str json, go;
    enum field_role role;
    const struct shape *shape;
    bool required;                 /* stands in `required` of its object */
    bool immutable;                /* may not be changed once set */
    const struct json *by_default; /* INJECTED */
};

enum tree_name { FOR_PROVIDER, INIT_PROVIDER, AT_PROVIDER, N_TREES };
extern const char *const tree_names[N_TREES];

/* A parameter that must be given in forProvider or initProvider when the object is created or changed. */
struct required_rule {
    struct str json;   /* for messages */
    struct str in_cel; /* for has(self.X) */
    bool init;         /* may be given in initProvider */
};

/* Where a secret value is. */
struct secret {
    struct str terraform; /* password, rule[*].key */
    struct str object;    /* of inputs: passwordSecretRef, relative to the tree; of outputs: status.atProvider.password */
    bool output;          /* goes to the connection secret */
    bool json;            /* the value is written as JSON */
};

struct kind {
    struct str terraform_type;                                    /* of data sources with "data." before it */
    bool data_source;                                             /* can only be read: no initProvider, policy Observe */
    enum flavour flavour;                                         /* FLAVOUR_BOTH: the same for both */
    struct str group, kind, plural, singular, list_kind, version; /* group without root group */
    struct str description;
    struct resource_config config;
    struct tree tree;
    struct fields trees[N_TREES];
    bool has_init;
    const struct required_rule *rules;
    size_t n_rules;
    const struct secret *secrets; /* sorted by path */
    size_t n_secrets;
};

/* The whole group in this flavour. */
struct str kind_group(struct arena *a, const struct kind *k, enum flavour flavour);

/* What could not be represented as it is, or at all. Each is a sentence about one field of one type. */
enum note_kind { NOTE_REPRESENTED /* in another way than others would */, NOTE_REDUCED /* something is lost */, NOTE_REFUSED };
struct note {
    enum note_kind kind;
    struct str type, path, text;
};
struct notes {
    struct arena *arena;
    struct note *v;
    size_t n, cap;
};
void notes_add(struct notes *n, enum note_kind kind, struct str type, struct str path, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

enum model_mode { MODEL_DEFAULT, MODEL_UPJET /* with the faults that manifests may rely on */ };

enum model_result { MODEL_OK, MODEL_REFUSED /* Upjet cannot have it; noted */, MODEL_FAILED /* diagnostics */ };

/* Only the names, which is what telling kinds apart needs. */
void kind_names(struct arena *a, const struct resource_config *config, struct kind *k);

/* All in `a`; `config` is that of one flavour. */
enum model_result kind_build(struct arena *a, struct str type, const struct schema *s, const struct resource_config *config,
                             enum model_mode mode, struct notes *notes, struct diags *diags, struct kind *ret);
