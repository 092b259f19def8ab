/*
 * Refinements of unknown values. Bounds only ever get tighter; a contradiction is refused where it would arise, so every
 * refinement is consistent.
 */
#include "value/text_private.h"
#include "value/value_private.h"

#include <assert.h>

static bool is_no_bound(struct number n, bool lower)
{
    return number_is_infinite(n) && number_cmp(n, number_from_i64(0)) == (lower ? -1 : 1);
}

static bool number_bounds_agree(const struct value_refinement *r)
{
    if (!r->has_min || !r->has_max)
        return true;
    int order = number_cmp(r->min, r->max);
    return r->min_inclusive != r->max_inclusive ? order < 0 : order <= 0;
}

static bool length_bounds_agree(const struct value_refinement *r)
{
    int64_t min = r->has_min_length ? r->min_length : 0;
    int64_t max = r->has_max_length ? r->max_length : INT64_MAX;
    return min <= max;
}

bool refine_prefix(struct value_refinement *r, struct str prefix)
{
    size_t common = prefix.n < r->prefix.n ? prefix.n : r->prefix.n;
    if (!str_eq(str_slice(prefix, 0, common), str_slice(r->prefix, 0, common)))
        return false;
    if (prefix.n > r->prefix.n)
        r->prefix = prefix;
    return true;
}

bool refine_min(struct value_refinement *r, struct number min, bool inclusive)
{
    if (is_no_bound(min, /* lower= */ true))
        return true;
    if (r->has_min) {
        int order = number_cmp(min, r->min);
        if (order < 0 || (order == 0 && inclusive && !r->min_inclusive))
            return true;
    }
    struct value_refinement next = *r;
    next.has_min = true;
    next.min = min;
    next.min_inclusive = inclusive;
    if (!number_bounds_agree(&next))
        return false;
    *r = next;
    return true;
}

bool refine_max(struct value_refinement *r, struct number max, bool inclusive)
{
    if (is_no_bound(max, /* lower= */ false))
        return true;
    if (r->has_max) {
        int order = number_cmp(max, r->max);
        if (order > 0 || (order == 0 && inclusive && !r->max_inclusive))
            return true;
    }
    struct value_refinement next = *r;
    next.has_max = true;
    next.max = max;
    next.max_inclusive = inclusive;
    if (!number_bounds_agree(&next))
        return false;
    *r = next;
    return true;
}

bool refine_min_length(struct value_refinement *r, int64_t min)
{
    int64_t old = r->has_min_length ? r->min_length : 0;
    if (old >= min)
        return true;
    struct value_refinement next = *r;
    next.has_min_length = true;
    next.min_length = min;
    if (!length_bounds_agree(&next))
        return false;
    *r = next;
    return true;
}

bool refine_max_length(struct value_refinement *r, int64_t max)
{
    int64_t old = r->has_max_length ? r->max_length : INT64_MAX;
    if (old <= max)
        return true;
    struct value_refinement next = *r;
    next.has_max_length = true;
    next.max_length = max;
    if (!length_bounds_agree(&next))
        return false;
    *r = next;
    return true;
}

static bool says_nothing(const struct type *t, const struct value_refinement *r)
{
    if (t->kind == TYPE_DYNAMIC)
        return true;
    if (r->not_null)
        return false;
    if (t->kind == TYPE_STRING)
        return r->prefix.n == 0;
    if (t->kind == TYPE_NUMBER)
        return !r->has_min && !r->has_max;
    if (type_is_collection(t))
        return !r->has_min_length && !r->has_max_length;
    return true;
}

static bool number_bound_eq(bool has_a, struct number a, bool inclusive_a, bool has_b, struct number b, bool inclusive_b)
{
    return has_a == has_b && (!has_a || (inclusive_a == inclusive_b && number_eq(a, b)));
}

bool refinement_eq(const struct value_refinement *a, const struct value_refinement *b)
{
    if (!a || !b)
        return a == b;
    return a->not_null == b->not_null && str_eq(a->prefix, b->prefix) &&
           number_bound_eq(a->has_min, a->min, a->min_inclusive, b->has_min, b->min, b->min_inclusive) &&
           number_bound_eq(a->has_max, a->max, a->max_inclusive, b->has_max, b->max, b->max_inclusive) &&
           a->has_min_length == b->has_min_length && (!a->has_min_length || a->min_length == b->min_length) &&
           a->has_max_length == b->has_max_length && (!a->has_max_length || a->max_length == b->max_length);
}

/* Only the fields that apply to the type, without bounds that have no effect. */
static struct value_refinement relevant(struct arena *a, const struct type *t, const struct value_refinement *r)
{
    struct value_refinement own = {.not_null = r->not_null};
    if (t->kind == TYPE_STRING && r->prefix.n > 0) {
        if (!text_normalize(a, r->prefix, &own.prefix))
            assert(false && "a prefix is UTF-8");
    } else if (t->kind == TYPE_NUMBER) {
        bool ok = (!r->has_min || refine_min(&own, r->min, r->min_inclusive)) &&
                  (!r->has_max || refine_max(&own, r->max, r->max_inclusive));
        assert(ok);
        (void)ok;
    } else if (type_is_collection(t)) {
        bool ok = (!r->has_min_length || refine_min_length(&own, r->min_length)) &&
                  (!r->has_max_length || refine_max_length(&own, r->max_length));
        assert(ok);
        (void)ok;
    }
    return own;
}

static const struct value *unknown_elements(struct arena *a, const struct type *t, size_t n)
{
    const struct value **elements = arena_make_n(a, const struct value *, n);
    const struct value *unknown = value_unknown(a, t->element);
    for (size_t i = 0; i < n; i++)
        elements[i] = unknown;
    return value_container(a, t, elements, NULL, n);
}

/* The known value if the refinement allows only one; NULL if there are more. */
static const struct value *collapsed(struct arena *a, const struct type *t, const struct value_refinement *r)
{
    if (!r->not_null)
        return NULL;
    if (t->kind == TYPE_NUMBER && r->has_min && r->has_max && r->min_inclusive && r->max_inclusive && number_eq(r->min, r->max))
        return value_number(a, r->min);
    if (!type_is_collection(t) || !r->has_max_length)
        return NULL;
    int64_t length = r->max_length;
    if (length != (r->has_min_length ? r->min_length : 0))
        return NULL;
    bool fits = length == 0 || (t->kind == TYPE_LIST && length <= VALUE_MAX_COLLAPSE) || (t->kind == TYPE_SET && length == 1);
    return fits ? unknown_elements(a, t, (size_t)length) : NULL;
}

const struct value *value_unknown_refined(struct arena *a, const struct type *t, const struct value_refinement *r)
{
    t = t->plain;
    if (t->kind == TYPE_DYNAMIC)
        return value_unknown(a, t);
    struct value_refinement own = relevant(a, t, r);
    const struct value *known = collapsed(a, t, &own);
    if (known)
        return known;
    if (says_nothing(t, &own))
        return value_unknown(a, t);
    struct value_refinement *kept = arena_make(a, struct value_refinement);
    *kept = own;
    struct value *v = arena_make(a, struct value);
    *v = (struct value){.type = t, .state = VALUE_UNKNOWN, .refinement = kept};
    return v;
}
