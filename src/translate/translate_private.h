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
    unsigned levels; /* how often a definition may stand within itself */
    size_t max_nodes;

    struct tr_pointers read_only, write_only, create_only, conditional_create_only, deprecated;
    struct buf path; /* CloudFormation names with / between, of the property at work */
    size_t depth;
    VEC(const struct json *) within; /* definitions that the property at work is in */
    struct map unions;               /* list of parts (its address) -> their properties, see translate_shape.c */
    struct map patterns;             /* that RE2 takes: definitions are used again and again */
    size_t n_nodes;
    bool too_large; /* something was left out for its size */
    bool failed;    /* strict: there is no such type; the reason is in type->suppression */
    VEC(struct cc_note) notes;
};

__attribute__((format(printf, 3, 4))) void tr_note(struct translating *t, enum cc_note_kind kind, const char *format, ...);
/* Something that awscc cannot have, at the place at work; `what` as tables word it. Strict mode: there is no such type. */
void tr_refuse(struct translating *t, const char *what);

/* Two properties of one name in Terraform; in default mode the first of them is `name` from now on. */
void tr_clash(struct translating *t, struct str cf_name, struct str other, struct str name);
/* Would so many more attributes, a level deeper, be more than there may be? */
bool tr_too_large(struct translating *t, size_t more);

/* Where a subschema stands: what an array holds is looked at less closely there. */
enum tr_place { TR_PROPERTY /* of an object, or of a map */, TR_ITEMS };
/* Reads the subschema, follows its reference if it is to be followed. False: there is no target, which is noted. */
bool tr_resolve(struct translating *t, const struct json *j, enum tr_place place, bool follow, struct cfn_property *ret,
                const struct json **ret_target);

/* Kind, order, element, children and type of `node`, whose flags are set. */
void tr_shape(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool follow);
/* The same in place of something that Terraform cannot have here; `what` it is, for the report. */
void tr_cut(struct translating *t, struct cc_node *node, const char *what);
/*
 * The children of an object with the properties of `p`; none where it has no properties. While they are built it is noted that
 * this definition is at work: too often within itself, too deep or too large, and the object is a JSON text.
 */
void tr_children(struct translating *t, struct cc_node *object, const struct cfn_property *p, const struct json *required,
                 bool follow);

/* Nodes of the top level that are no properties. */
void tr_id(struct translating *t, struct cc_node *node);
void tr_timeouts(struct translating *t, struct cc_node *node);

/* After the shape: default, validators. */
void tr_default(struct translating *t, struct cc_node *node, const struct cfn_property *p);
void tr_validators(struct translating *t, struct cc_node *node, const struct cfn_property *p, bool not_null);
/* Does the schema refuse its own default? */
void tr_check_default(struct translating *t, struct cc_node *node);

/* awscc's own configuration (translate_awscc.c, translate_awscc_types.c). */
struct awscc_decision {
    bool listed; /* it knows the type */
    bool resource, singular, plural, list;
    bool pinned; /* its schema is kept at an older state there */
};
struct awscc_decision awscc_decision(const struct cfn_type_name *name);
bool awscc_is_global(struct str service);     /* objects of the service belong to no region: their identity has none */
const char *awscc_reason(struct str cf_type); /* why there is no resource, in the words of tables; NULL: none is stated */
