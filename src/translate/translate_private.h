/*
 * Private to translate*.c: the state of one translation.
 */
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "translate/translate.h"

/* A property pointer without /properties/ and without stars. */
struct tr_pointer {
    struct str path;
    bool starred;
    bool used;
    struct str text; /* as written */
};
struct tr_pointers {
    struct tr_pointer *v;
    size_t n;
};

struct translating {
    struct arena *arena;
    const struct cfn_schema *cfn;
    struct cc_type *type;
    enum cfn_mode mode;
    unsigned levels; /* how often a definition may be nested in itself */
    size_t max_nodes;

    struct tr_pointers read_only, write_only, create_only, conditional_create_only, deprecated;
    struct buf path; /* CloudFormation names joined with /, of the current property */
    size_t depth;
    VEC(const struct json *) within; /* definitions that contain the current property */
    struct map unions;               /* address of a list of parts -> their properties, see translate_shape.c */
    struct map patterns;             /* cache of patterns that RE2 accepts: definitions are used repeatedly */
    size_t n_nodes;
    bool too_large; /* something was left out because of its size */
    bool failed;    /* strict: the type does not exist; type->suppression says why */
    VEC(struct cc_note) notes;
};

__attribute__((format(printf, 3, 4))) void tr_note(struct translating *t, enum cc_note_kind kind, const char *format, ...);
/* awscc cannot express something at the current property; `what` is the reason as in tables. Strict mode drops the type. */
void tr_refuse(struct translating *t, const char *what);

/* Two properties have the same Terraform name; in default mode the first of them gets it (`name`). */
void tr_clash(struct translating *t, struct str cf_name, struct str other, struct str name);
/* Would this many more attributes, one level deeper, exceed the limits? */
bool tr_too_large(struct translating *t, size_t more);

/* Where a subschema is: array items are checked less strictly. */
enum tr_place { TR_PROPERTY /* of an object, or of a map */, TR_ITEMS };
/* Reads the subschema, and follows its reference if `follow`. False, with a note, if the target is missing. */
bool tr_resolve(struct translating *t, const struct json *j, enum tr_place place, bool follow, struct cfn_property *ret,
                const struct json **ret_target);

/* Sets kind, order, element, children and type of `node`, whose flags are already set. */
void tr_shape(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool follow);
/* Makes `node` a JSON string, because Terraform cannot express it here; `what` it is, for the report. */
void tr_cut(struct translating *t, struct cc_node *node, const char *what);
/*
 * Builds the children of an object from the properties of `p`, if any. Meanwhile the definition is in `within`: if it is nested
 * in itself too often, or the object is too deep or too large, the object becomes a JSON string.
 */
void tr_children(struct translating *t, struct cc_node *object, const struct cfn_property *p, const struct json *required,
                 bool follow);

/* Nodes at the top level that are not properties. */
void tr_id(struct translating *t, struct cc_node *node);
void tr_timeouts(struct translating *t, struct cc_node *node);

/* After the shape: default, validators. */
void tr_default(struct translating *t, struct cc_node *node, const struct cfn_property *p);
void tr_validators(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool not_null);
/* Notes a default that the schema's own validators reject; default mode drops it. */
void tr_check_default(struct translating *t, struct cc_node *node);

/* awscc's own configuration (translate_awscc.c, translate_awscc_types.c). */
struct awscc_decision {
    bool listed; /* awscc knows the type */
    bool resource, singular, plural, list;
    bool pinned; /* awscc keeps an older version of its schema */
};
struct awscc_decision awscc_decision(const struct cfn_type_name *name);
bool awscc_is_global(struct str service);     /* the service is global: identities of its objects have no region */
const char *awscc_reason(struct str cf_type); /* why there is no resource, as in tables; NULL: unknown */
