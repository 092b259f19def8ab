/*
 * Types are trees that share parts: a constructor keeps the pointers it is given, so the parts must be in the same arena or one
 * that lives longer.
 *
 * A type with optional attributes anywhere has a second tree, `plain`, without them. It is created once, with the type, so that
 * values get their type at no cost.
 */
#include "value/type.h"

#include <assert.h>
#include <stdlib.h>

const struct type type_dynamic = {.kind = TYPE_DYNAMIC, .has_dynamic = true, .plain = &type_dynamic};
const struct type type_string = {.kind = TYPE_STRING, .plain = &type_string};
const struct type type_number = {.kind = TYPE_NUMBER, .plain = &type_number};
const struct type type_bool = {.kind = TYPE_BOOL, .plain = &type_bool};

const struct type *type_constant(enum type_kind kind)
{
    static const struct type *const constants[] = {
        [TYPE_DYNAMIC] = &type_dynamic, [TYPE_STRING] = &type_string, [TYPE_NUMBER] = &type_number, [TYPE_BOOL] = &type_bool};
    return (size_t)kind < sizeof constants / sizeof constants[0] ? constants[kind] : NULL;
}

const struct type *type_collection(struct arena *a, enum type_kind kind, const struct type *element)
{
    struct type *t = arena_make(a, struct type);
    *t = (struct type){.kind = kind, .has_dynamic = element->has_dynamic, .element = element};
    t->plain = element->plain == element ? t : type_collection(a, kind, element->plain);
    return t;
}

static int by_name(const void *a, const void *b)
{
    return str_cmp(((const struct type_attr *)a)->name, ((const struct type_attr *)b)->name);
}

static bool is_sorted(const struct type_attr *attrs, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (str_cmp(attrs[i - 1].name, attrs[i].name) >= 0)
            return false;
    return true;
}

static const struct type *object_plain(struct arena *a, const struct type_attr *attrs, size_t n)
{
    struct type_attr *plain = arena_make_n(a, struct type_attr, n);
    for (size_t i = 0; i < n; i++)
        plain[i] = (struct type_attr){.name = attrs[i].name, .type = attrs[i].type->plain};
    return type_object(a, plain, n);
}

const struct type *type_object(struct arena *a, const struct type_attr *attrs, size_t n)
{
    struct type_attr *sorted = arena_make_n(a, struct type_attr, n);
    if (n > 0)
        memcpy(sorted, attrs, n * sizeof *sorted);
    if (!is_sorted(sorted, n))
        qsort(sorted, n, sizeof *sorted, by_name);
    assert(is_sorted(sorted, n)); /* names are unique */

    struct type *t = arena_make(a, struct type);
    *t = (struct type){.kind = TYPE_OBJECT, .n = n, .attrs = sorted};
    bool is_plain = true;
    for (size_t i = 0; i < n; i++) {
        t->has_dynamic |= sorted[i].type->has_dynamic;
        is_plain &= !sorted[i].optional && sorted[i].type->plain == sorted[i].type;
    }
    t->plain = is_plain ? t : object_plain(a, sorted, n);
    return t;
}

static const struct type *tuple_plain(struct arena *a, const struct type *const *elements, size_t n)
{
    const struct type **plain = arena_make_n(a, const struct type *, n);
    for (size_t i = 0; i < n; i++)
        plain[i] = elements[i]->plain;
    return type_tuple(a, plain, n);
}

const struct type *type_tuple(struct arena *a, const struct type *const *elements, size_t n)
{
    const struct type **copy = arena_make_n(a, const struct type *, n);
    struct type *t = arena_make(a, struct type);
    *t = (struct type){.kind = TYPE_TUPLE, .n = n, .elements = copy};
    bool is_plain = true;
    for (size_t i = 0; i < n; i++) {
        copy[i] = elements[i];
        t->has_dynamic |= elements[i]->has_dynamic;
        is_plain &= elements[i]->plain == elements[i];
    }
    t->plain = is_plain ? t : tuple_plain(a, elements, n);
    return t;
}

const struct type *type_copy(struct arena *a, const struct type *t)
{
    const struct type *constant = type_constant(t->kind);
    if (constant)
        return constant;
    if (type_is_collection(t))
        return type_collection(a, t->kind, type_copy(a, t->element));
    if (t->kind == TYPE_OBJECT) {
        struct type_attr *attrs = arena_make_n(a, struct type_attr, t->n);
        for (size_t i = 0; i < t->n; i++)
            attrs[i] = (struct type_attr){
                .name = arena_str(a, t->attrs[i].name), .type = type_copy(a, t->attrs[i].type), .optional = t->attrs[i].optional};
        return type_object(a, attrs, t->n);
    }
    const struct type **elements = arena_make_n(a, const struct type *, t->n);
    for (size_t i = 0; i < t->n; i++)
        elements[i] = type_copy(a, t->elements[i]);
    return type_tuple(a, elements, t->n);
}

size_t type_attr_find(const struct type *object, struct str name)
{
    size_t low = 0, high = object->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(name, object->attrs[middle].name);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return SIZE_MAX;
}

/* `loosely`: DYNAMIC in `b` matches any type, and optional attributes are treated like others. */
static bool same_type(const struct type *a, const struct type *b, bool loosely)
{
    if (a == b || (loosely && b->kind == TYPE_DYNAMIC))
        return true;
    if (a->kind != b->kind || a->n != b->n)
        return false;
    switch (a->kind) {
    case TYPE_DYNAMIC:
    case TYPE_STRING:
    case TYPE_NUMBER:
    case TYPE_BOOL:
        return true;
    case TYPE_LIST:
    case TYPE_SET:
    case TYPE_MAP:
        return same_type(a->element, b->element, loosely);
    case TYPE_OBJECT:
        for (size_t i = 0; i < a->n; i++) {
            const struct type_attr *x = &a->attrs[i], *y = &b->attrs[i];
            if ((!loosely && x->optional != y->optional) || !str_eq(x->name, y->name) || !same_type(x->type, y->type, loosely))
                return false;
        }
        return true;
    case TYPE_TUPLE:
        for (size_t i = 0; i < a->n; i++)
            if (!same_type(a->elements[i], b->elements[i], loosely))
                return false;
        return true;
    }
    return false;
}

bool type_eq(const struct type *a, const struct type *b)
{
    return same_type(a, b, false);
}

bool type_conforms(const struct type *t, const struct type *constraint)
{
    return same_type(t, constraint, true);
}

static struct str friendly(struct arena *a, const struct type *t, bool as_constraint)
{
    switch (t->kind) {
    case TYPE_DYNAMIC:
        return as_constraint ? STR("any type") : STR("dynamic");
    case TYPE_STRING:
        return STR("string");
    case TYPE_NUMBER:
        return STR("number");
    case TYPE_BOOL:
        return STR("bool");
    case TYPE_OBJECT:
        return STR("object");
    case TYPE_TUPLE:
        return STR("tuple");
    case TYPE_LIST:
    case TYPE_SET:
    case TYPE_MAP:
        break;
    }
    const char *kind = t->kind == TYPE_LIST ? "list" : t->kind == TYPE_SET ? "set" : "map";
    struct str element = friendly(a, t->element, as_constraint);
    if (as_constraint && t->element->kind == TYPE_DYNAMIC)
        element = STR("any single type");
    return arena_printf(a, "%s of " STR_FMT, kind, STR_ARG(element));
}

struct str type_friendly(struct arena *a, const struct type *t)
{
    return friendly(a, t, false);
}

struct str type_friendly_constraint(struct arena *a, const struct type *t)
{
    return friendly(a, t, true);
}
