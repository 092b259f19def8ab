/*
 * Types of the Terraform language. Immutable and owned by an arena; the primitive types and the dynamic type are constants.
 *
 * DYNAMIC stands for "not known yet": as a constraint it matches any type, and the only values of type DYNAMIC itself are the
 * untyped null and the untyped unknown.
 */
#pragma once

#include "base/json.h"

enum type_kind {
    TYPE_DYNAMIC,
    TYPE_STRING,
    TYPE_NUMBER,
    TYPE_BOOL,
    TYPE_LIST,
    TYPE_SET,
    TYPE_MAP,
    TYPE_OBJECT,
    TYPE_TUPLE,
};

enum { TYPE_MAX_DEPTH = 128 };

struct type_attr {
    struct str name;
    const struct type *type;
    bool optional;
};

struct type {
    enum type_kind kind;
    bool has_dynamic; /* the type or a part of it is DYNAMIC */
    size_t n;         /* attributes or tuple elements */
    /* The same type without optional attributes at any depth; the type itself when it has none. Types of values are always
     * plain. */
    const struct type *plain;
    union {
        const struct type *element;         /* LIST, SET, MAP */
        const struct type_attr *attrs;      /* OBJECT: sorted by name, names unique */
        const struct type *const *elements; /* TUPLE */
    };
};

extern const struct type type_dynamic, type_string, type_number, type_bool;

/* The constant of that kind; NULL for kinds whose types have parts. */
const struct type *type_constant(enum type_kind kind);

/* LIST, SET or MAP. */
const struct type *type_collection(struct arena *a, enum type_kind kind, const struct type *element);
static inline const struct type *type_list(struct arena *a, const struct type *element)
{
    return type_collection(a, TYPE_LIST, element);
}
static inline const struct type *type_set(struct arena *a, const struct type *element)
{
    return type_collection(a, TYPE_SET, element);
}
static inline const struct type *type_map(struct arena *a, const struct type *element)
{
    return type_collection(a, TYPE_MAP, element);
}
/* Sorts a copy of `attrs`; names are NFC already. */
const struct type *type_object(struct arena *a, const struct type_attr *attrs, size_t n);
const struct type *type_tuple(struct arena *a, const struct type *const *elements, size_t n);

static inline bool type_is_primitive(const struct type *t)
{
    return t->kind == TYPE_STRING || t->kind == TYPE_NUMBER || t->kind == TYPE_BOOL;
}
static inline bool type_is_collection(const struct type *t)
{
    return t->kind == TYPE_LIST || t->kind == TYPE_SET || t->kind == TYPE_MAP;
}

/* Deep copy into another arena; constants are not copied. */
const struct type *type_copy(struct arena *a, const struct type *t);

/* Position in attrs, or SIZE_MAX. */
size_t type_attr_find(const struct type *object, struct str name);

bool type_eq(const struct type *a, const struct type *b); /* optional attributes count */
/* True when the type equals the constraint, where DYNAMIC in the constraint matches any type and optional attributes are treated
 * like other attributes. */
bool type_conforms(const struct type *t, const struct type *constraint);

/* Terraform's JSON form of types: "string", ["list",T], ["object",{...}], ["object",{...},["opt"]], ["tuple",[...]]; names
 * sorted. */
void type_write_json(struct json_writer *w, const struct type *t);
struct str type_to_json(struct arena *a, const struct type *t);
const struct type *type_from_json(struct arena *a, const struct json *j, struct diags *diags); /* NULL on error */
const struct type *type_parse(struct arena *a, struct str json_text, struct diags *diags);

/* The name of the type in Terraform's messages: "string", "list of string", "object", "map of number". */
struct str type_friendly(struct arena *a, const struct type *t);
/* The same for a required type: DYNAMIC is "any type", a list of DYNAMIC is "list of any single type". */
struct str type_friendly_constraint(struct arena *a, const struct type *t);
