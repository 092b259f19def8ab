/*
 * Private to go_types*.c. A kind is first split into classes: the structs for its objects. Their bodies are written with
 * placeholders for the names of other classes, so that objects with the same body share a class; then classes get names, from the
 * top down.
 */
#pragma once

#include "generate/go_types.h"

enum { GO_MAX_TEXT = 256 << 20 };

struct go_class {
    enum xp_tree_name tree;
    struct xp_fields fields;
    const struct str *names;              /* of the fields, in Go */
    const struct xp_shape *const *shapes; /* of the fields; OpenAPI from the configuration is converted to shapes */
    const uint32_t *children;             /* for each field, the class of the object in it, from 1; 0: no object */
    struct str body;                      /* of the struct */
    struct str path;                      /* Go names from the root */
    struct str name;                      /* empty: not named yet */
    bool shallow;                         /* contains no pointers, slices or maps */
};

/* One kind in one flavour. */
struct go_kind {
    struct arena *arena;
    const struct xp_kind *kind;
    enum xp_flavour flavour;
    const struct map *kinds; /* NULL: unknown */
    struct str name, list, spec, status;
    VEC(struct go_class) classes;
    VEC(uint32_t) order; /* the classes, from 1, in the order of writing */
    uint32_t roots[N_TREES];
    struct map by_body;   /* -> uint32_t: class, from 1 */
    struct map by_name;   /* of structs */
    struct str bad_field; /* a field whose name is impossible in Go; empty: none */
    bool any;             /* a field takes any value */
};

/* --- go_types_text.c --- */

/* Makes an exported identifier from a name; usually the name itself. */
struct str go_identifier(struct arena *a, struct str name);
/* Writes comment lines, indented with a tab. Prevents the text from forming kubebuilder markers. */
void go_comment(struct buf *out, struct str text);
/* Writes the text on one line that gofmt does not change in the comment of a declaration. */
void go_sentence(struct buf *out, struct str text);
/* Is it valid as a name in a struct tag? */
bool go_is_tag(struct str s);
/* Writes the text with each $ replaced by the name; Go code has no $. */
void go_put(struct buf *out, const char *text, struct str name);

/* --- go_types_shape.c: shapes as Go types --- */

enum go_form {
    GO_BASIC, /* always behind a pointer */
    GO_SLICE,
    GO_MAP,
    GO_CLASS,
    GO_FOREIGN, /* a struct of a library */
};
enum go_form go_form(const struct xp_shape *s);
/* For GO_FOREIGN: does the struct contain no pointers, slices or maps? */
bool go_foreign_is_shallow(const struct xp_shape *s);
/* Is a field of this shape a pointer? */
bool go_is_pointer(const struct xp_shape *s, bool required);
/* Writes the whole type. `object` is the name or placeholder of the struct of the object in it. */
void go_put_type(struct buf *out, const struct xp_shape *s, enum xp_flavour flavour, bool pointer, struct str object);
/* Converts OpenAPI to a shape, in `a`; fields of objects in it stay OpenAPI. What has no Go type becomes any value. */
const struct xp_shape *go_shape_of_openapi(struct arena *a, const struct xp_names *names, const struct json *schema);

/* --- go_types_class.c --- */

/* Splits the kind into classes. */
void go_classes_find(struct go_kind *k);
void go_classes_write(struct buf *out, const struct go_kind *k);

/* --- go_types_deepcopy.c --- */

/* Writes the DeepCopy methods of all structs of the kind. */
void go_deepcopy_write(struct buf *out, const struct go_kind *k);

/* --- go_types_module.c --- */

extern const char go_module_file[], go_module_sums[];
