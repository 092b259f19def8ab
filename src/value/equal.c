/*
 * The two relations of the language: raw equality, which compares values as they are, and ==, where an unknown may become any
 * value that its refinement allows.
 */
#include "value/value_private.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    return value_cmp(*(const struct value *const *)a, *(const struct value *const *)b);
}

/* The elements of a set in a total order: the order within a set does not define the order of ties. */
static const struct value **in_total_order(struct arena *scratch, const struct value *set)
{
    const struct value **copy = arena_make_n(scratch, const struct value *, set->n);
    for (size_t i = 0; i < set->n; i++)
        copy[i] = set->elements[i];
    if (set->n > 1)
        qsort(copy, set->n, sizeof *copy, by_value);
    return copy;
}

static bool elements_raw_eq(const struct value *const *a, const struct value *const *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!value_raw_eq(a[i], b[i]))
            return false;
    return true;
}

static bool sets_raw_eq(const struct value *a, const struct value *b)
{
    if (elements_raw_eq(a->elements, b->elements, a->n))
        return true;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    return elements_raw_eq(in_total_order(scratch, a), in_total_order(scratch, b), a->n);
}

static bool known_raw_eq(const struct value *a, const struct value *b)
{
    switch (a->type->kind) {
    case TYPE_DYNAMIC:
        return true;
    case TYPE_STRING:
        return str_eq(a->string, b->string);
    case TYPE_NUMBER:
        return number_eq(a->number, b->number);
    case TYPE_BOOL:
        return a->boolean == b->boolean;
    case TYPE_SET:
        return a->n == b->n && sets_raw_eq(a, b);
    case TYPE_MAP:
        if (a->n != b->n)
            return false;
        for (size_t i = 0; i < a->n; i++)
            if (!str_eq(a->keys[i], b->keys[i]))
                return false;
        return elements_raw_eq(a->elements, b->elements, a->n);
    case TYPE_LIST:
    case TYPE_OBJECT:
    case TYPE_TUPLE:
        return a->n == b->n && elements_raw_eq(a->elements, b->elements, a->n);
    }
    return false;
}

bool value_raw_eq(const struct value *a, const struct value *b)
{
    if (a == b)
        return true;
    if (a->state != b->state || (a->type != b->type && !type_eq(a->type, b->type)))
        return false;
    if (a->state == VALUE_UNKNOWN)
        return refinement_eq(a->refinement, b->refinement);
    return a->state == VALUE_NULL || known_raw_eq(a, b);
}

bool value_eq_ignoring_refinements(struct arena *a, const struct value *x, const struct value *y)
{
    return value_raw_eq(value_plain_unknowns(a, x), value_plain_unknowns(a, y));
}

static bool is_not_null(const struct value *v)
{
    return v->state == VALUE_KNOWN || (v->state == VALUE_UNKNOWN && v->refinement && v->refinement->not_null);
}

static bool number_excluded(const struct value_refinement *r, struct number n)
{
    if (r->has_min) {
        int order = number_cmp(n, r->min);
        if (order < 0 || (order == 0 && !r->min_inclusive))
            return true;
    }
    if (r->has_max) {
        int order = number_cmp(n, r->max);
        if (order > 0 || (order == 0 && !r->max_inclusive))
            return true;
    }
    return false;
}

/* The minimum and maximum number of elements: in a set, unknown elements may turn out equal to others. */
static void length_range(const struct value *v, size_t *ret_min, size_t *ret_max)
{
    *ret_max = v->n;
    *ret_min = v->type->kind == TYPE_SET && v->n > 1 && !v->wholly_known ? 1 : v->n;
}

static bool length_excluded(const struct value_refinement *r, const struct value *v)
{
    size_t min, max;
    length_range(v, &min, &max);
    return (r->has_min_length && r->min_length > 0 && max < (uint64_t)r->min_length) ||
           (r->has_max_length && min > (uint64_t)r->max_length);
}

/* True when the unknown can never become this known value. */
static bool unknown_excludes(const struct value *unknown, const struct value *known)
{
    const struct value_refinement *r = unknown->refinement;
    if (known->state == VALUE_NULL)
        return is_not_null(unknown);
    if (!type_conforms(known->type, unknown->type))
        return true;
    if (!r || unknown->type->kind == TYPE_DYNAMIC)
        return false;
    if (known->type->kind == TYPE_STRING)
        return !str_starts(known->string, r->prefix);
    if (known->type->kind == TYPE_NUMBER)
        return number_excluded(r, known->number);
    return type_is_collection(known->type) && length_excluded(r, known);
}

/* True when there is an untyped unknown inside, so that even the type may change. */
static bool type_may_change(const struct value *v)
{
    if (v->state == VALUE_NULL || v->wholly_known)
        return false;
    if (v->state == VALUE_UNKNOWN)
        return v->type->has_dynamic;
    if (type_is_primitive(v->type))
        return false;
    for (size_t i = 0; i < v->n; i++)
        if (type_may_change(v->elements[i]))
            return true;
    return false;
}

static enum tristate elements_equal(const struct value *const *a, const struct value *const *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        enum tristate part = value_equals(a[i], b[i]);
        if (part != TRI_TRUE)
            return part;
    }
    return TRI_TRUE;
}

static bool has_unknown_element(const struct value *v)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->elements[i]->state == VALUE_UNKNOWN)
            return true;
    return false;
}

/* With an unknown element the result is unknown; an element that contains an unknown is not found in the other set. */
static enum tristate sets_equal(const struct value *a, const struct value *b)
{
    if (has_unknown_element(a) || has_unknown_element(b))
        return TRI_UNKNOWN;
    if (a->n != b->n)
        return TRI_FALSE;
    if (elements_equal(a->elements, b->elements, a->n) == TRI_TRUE)
        return TRI_TRUE;
    if (!a->wholly_known || !b->wholly_known)
        return TRI_FALSE;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    bool equal = elements_equal(in_total_order(scratch, a), in_total_order(scratch, b), a->n) == TRI_TRUE;
    return equal ? TRI_TRUE : TRI_FALSE;
}

static enum tristate maps_equal(const struct value *a, const struct value *b)
{
    if (a->n != b->n)
        return TRI_FALSE;
    for (size_t i = 0; i < a->n; i++)
        if (!str_eq(a->keys[i], b->keys[i]))
            return TRI_FALSE;
    return elements_equal(a->elements, b->elements, a->n);
}

static enum tristate known_equal(const struct value *a, const struct value *b)
{
    switch (a->type->kind) {
    case TYPE_LIST:
        return a->n == b->n ? elements_equal(a->elements, b->elements, a->n) : TRI_FALSE;
    case TYPE_OBJECT:
    case TYPE_TUPLE:
        return elements_equal(a->elements, b->elements, a->n);
    case TYPE_SET:
        return sets_equal(a, b);
    case TYPE_MAP:
        return maps_equal(a, b);
    default:
        return known_raw_eq(a, b) ? TRI_TRUE : TRI_FALSE;
    }
}

static enum tristate unknown_equals(const struct value *unknown, const struct value *known)
{
    if (unknown_excludes(unknown, known))
        return TRI_FALSE;
    if (known->state == VALUE_NULL || unknown->type->has_dynamic)
        return TRI_UNKNOWN;
    return type_eq(known->type, unknown->type) ? TRI_UNKNOWN : TRI_FALSE;
}

enum tristate value_equals(const struct value *a, const struct value *b)
{
    if ((a->state == VALUE_NULL && is_not_null(b)) || (b->state == VALUE_NULL && is_not_null(a)))
        return TRI_FALSE;
    if (a->state == VALUE_UNKNOWN && b->state == VALUE_UNKNOWN)
        return TRI_UNKNOWN;
    if (a->state == VALUE_UNKNOWN)
        return unknown_equals(a, b);
    if (b->state == VALUE_UNKNOWN)
        return unknown_equals(b, a);
    if (a->state == VALUE_NULL)
        return TRI_TRUE; /* b is null too, and nulls of all types are equal */
    if (type_may_change(a) || type_may_change(b))
        return type_conforms(a->type, b->type) || type_conforms(b->type, a->type) ? TRI_UNKNOWN : TRI_FALSE;
    if (a->type != b->type && !type_eq(a->type, b->type))
        return TRI_FALSE;
    return known_equal(a, b);
}
