/*
 * Between the parts of the Go generator. A kind is taken apart into classes first: the structs that stand for its objects. Their
 * bodies are written with marks in place of the names of other classes, so that two objects with one body are one class; only
 * then classes get names, from the top down.
 */
#pragma once

#include "generate/go_types.h"

enum { GO_MAX_TEXT = 256 << 20 };

struct go_class {
    enum xp_tree_name tree;
    struct xp_fields fields;
    const struct str *names;              /* of the fields, in Go */
    const struct xp_shape *const *shapes; /* of the fields; OpenAPI of the configuration read as shapes */
    const uint32_t *children;             /* of the fields: the class of the object in it, from 1; 0: none in it */
    struct str body;                      /* of the struct */
    struct str path;                      /* Go names from the top */
    struct str name;                      /* empty: not named yet */
    bool shallow;                         /* nothing in it that is pointed to */
};

/* One kind in one flavour. */
struct go_kind {
    struct arena *arena;
    const struct xp_kind *kind;
    enum xp_flavour flavour;
    const struct map *kinds; /* NULL: no others are known */
    struct str name, list, spec, status;
    VEC(struct go_class) classes;
    VEC(uint32_t) order; /* of classes, from 1, as they are to be written */
    uint32_t roots[N_TREES];
    struct map by_body;   /* -> uint32_t: class, from 1 */
    struct map by_name;   /* of structs */
    struct str bad_field; /* its name cannot be written in Go; empty: none */
    bool any;             /* a field takes any value */
};

/* --- go_types_text.c --- */

/* An exported identifier made of a name, most often the name itself. */
struct str go_identifier(struct arena *a, struct str name);
/* Lines of comment with a tab before each. No line is a marker, whatever the text has. */
void go_comment(struct buf *out, struct str text);
/* The text on one line that gofmt leaves as it is in the comment of a declaration. */
void go_sentence(struct buf *out, struct str text);
/* Can a struct tag hold it as a name? */
bool go_is_tag(struct str s);
/* The text with the name in place of each $, which Go does not have. */
void go_put(struct buf *out, const char *text, struct str name);

/* --- go_types_shape.c: how Go has a shape --- */

enum go_form {
    GO_BASIC, /* always behind a pointer */
    GO_SLICE,
    GO_MAP,
    GO_CLASS,
    GO_FOREIGN, /* a struct of a library */
};
enum go_form go_form(const struct xp_shape *s);
/* FOREIGN: nothing in it that is pointed to. */
bool go_foreign_is_shallow(const struct xp_shape *s);
/* Is a field of this shape a pointer? */
bool go_is_pointer(const struct xp_shape *s, bool required);
/* The whole type. `object` stands for the struct of the object in it. */
void go_put_type(struct buf *out, const struct xp_shape *s, enum xp_flavour flavour, bool pointer, struct str object);
/* OpenAPI as a shape, in `a`; fields of objects in it are OpenAPI again. What Go has no type for is any value. */
const struct xp_shape *go_shape_of_openapi(struct arena *a, const struct xp_names *names, const struct json *schema);

/* --- go_types_class.c --- */

/* Takes the kind apart. */
void go_classes_find(struct go_kind *k);
void go_classes_write(struct buf *out, const struct go_kind *k);

/* --- go_types_deepcopy.c --- */

/* The methods of all structs of the kind. */
void go_deepcopy_write(struct buf *out, const struct go_kind *k);

/* --- go_types_module.c --- */

extern const char go_module_file[], go_module_sums[];
