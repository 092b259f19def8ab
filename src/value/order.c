/*
 * The order of set elements.
 *
 * Terraform writes sets into state files and messages in this order, so ours is the same: strings bytewise, numbers by value,
 * bools; compound values by a text made from their content:
 *
 *     {"k":E;...}  map      [E;E;...]  list, set      <E;E;...>  object (by name), tuple
 *     "text" quoted, numbers of ten digits, T, F, ? unknown, ~ null
 *
 * Unknown elements come after known ones and null comes last. Different elements may have the same text (unknown parts, long
 * numbers); these keep the order of insertion.
 */
#include "value/text.h"
#include "value/value_private.h"

#include <stdlib.h>

static void write_scalar(struct buf *out, const struct value *v)
{
    if (v->type->kind == TYPE_STRING)
        text_write_quoted(out, v->string);
    else if (v->type->kind == TYPE_BOOL)
        buf_addc(out, v->boolean ? 'T' : 'F');
    else
        number_write_brief(out, v->number);
}

/* Text that orders compound values in sets. */
static void write_order_key(struct buf *out, const struct value *v)
{
    if (v->state != VALUE_KNOWN) {
        buf_addc(out, v->state == VALUE_UNKNOWN ? '?' : '~');
        return;
    }
    if (type_is_primitive(v->type)) {
        write_scalar(out, v);
        return;
    }
    const char *brackets = v->type->kind == TYPE_MAP                                 ? "{}"
                           : v->type->kind == TYPE_LIST || v->type->kind == TYPE_SET ? "[]"
                                                                                     : "<>";
    buf_addc(out, brackets[0]);
    for (size_t i = 0; i < v->n; i++) {
        if (v->type->kind == TYPE_MAP) {
            text_write_quoted(out, v->keys[i]);
            buf_addc(out, ':');
        }
        write_order_key(out, v->elements[i]);
        buf_addc(out, ';');
    }
    buf_addc(out, brackets[1]);
}

/* Known, then unknown, then null. */
static int rank(const struct value *v)
{
    return v->state == VALUE_KNOWN ? 0 : v->state == VALUE_UNKNOWN ? 1 : 2;
}

/* Compares two known primitive values of one type. */
static int cmp_primitive(const struct value *a, const struct value *b)
{
    if (a->type->kind == TYPE_STRING)
        return str_cmp(a->string, b->string);
    if (a->type->kind == TYPE_NUMBER)
        return number_cmp(a->number, b->number);
    return a->boolean - b->boolean;
}

static int cmp_refinement(const struct value_refinement *a, const struct value_refinement *b)
{
    static const struct value_refinement none = {0};
    if (refinement_eq(a, b))
        return 0;
    a = a ? a : &none;
    b = b ? b : &none;
    int order = a->not_null - b->not_null;
    if (order == 0)
        order = str_cmp(a->prefix, b->prefix);
    if (order == 0)
        order = a->has_min != b->has_min ? a->has_min - b->has_min : number_cmp(a->min, b->min);
    if (order == 0)
        order = a->has_max != b->has_max ? a->has_max - b->has_max : number_cmp(a->max, b->max);
    if (order == 0)
        order = (a->min_inclusive - b->min_inclusive) * 2 + (a->max_inclusive - b->max_inclusive);
    if (order == 0)
        order = (a->min_length > b->min_length) - (a->min_length < b->min_length);
    if (order == 0)
        order = (a->max_length > b->max_length) - (a->max_length < b->max_length);
    return order != 0 ? order : a->has_max_length - b->has_max_length;
}

/* Order by content only, within one type; 0 only for raw equal values. */
static int cmp_content(const struct value *a, const struct value *b)
{
    if (a == b)
        return 0;
    if (a->state != b->state)
        return rank(a) - rank(b);
    if (a->state == VALUE_UNKNOWN)
        return cmp_refinement(a->refinement, b->refinement);
    if (a->state == VALUE_NULL)
        return 0;
    if (type_is_primitive(a->type))
        return a->type->kind == TYPE_NUMBER && number_eq(a->number, b->number) ? 0 : cmp_primitive(a, b);
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (size_t i = 0; i < a->n; i++) {
        int order = a->type->kind == TYPE_MAP ? str_cmp(a->keys[i], b->keys[i]) : 0;
        if (order == 0)
            order = cmp_content(a->elements[i], b->elements[i]);
        if (order != 0)
            return order;
    }
    return 0;
}

int value_cmp(const struct value *a, const struct value *b)
{
    if (rank(a) != rank(b))
        return rank(a) - rank(b);
    if (a->state != VALUE_KNOWN || type_is_primitive(a->type))
        return cmp_content(a, b);
    struct buf x BUF_AUTO = BUF_INIT(VALUE_MAX_ORDER_KEY);
    struct buf y BUF_AUTO = BUF_INIT(VALUE_MAX_ORDER_KEY);
    write_order_key(&x, a);
    write_order_key(&y, b);
    int order = str_cmp(buf_str(&x), buf_str(&y));
    return order != 0 ? order : cmp_content(a, b);
}

uint64_t value_hash(const struct value *v)
{
    struct buf key BUF_AUTO = BUF_INIT(VALUE_MAX_ORDER_KEY);
    write_order_key(&key, v);
    return str_hash(buf_str(&key), 0);
}

/* An element that is being inserted into a set. */
struct slot {
    const struct value *v;
    size_t place;   /* position in the input */
    struct str key; /* of known compound values */
    bool is_double; /* equal to an earlier element */
};

static int by_order(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    int order = rank(x->v) - rank(y->v);
    if (order == 0 && x->v->state == VALUE_KNOWN)
        order = type_is_primitive(x->v->type) ? cmp_primitive(x->v, y->v) : str_cmp(x->key, y->key);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

static int by_content(const void *a, const void *b)
{
    const struct slot *x = *(struct slot *const *)a, *y = *(struct slot *const *)b;
    int order = cmp_content(x->v, y->v);
    return order != 0 ? order : (x->place > y->place) - (x->place < y->place);
}

/*
 * Marks the duplicates among slots with the same key. They are sorted by content first: many elements can share a key, and
 * comparing all pairs would be quadratic. Values that are not wholly known are not equal to anything.
 */
static void mark_doubles(struct arena *scratch, struct slot *slots, size_t n)
{
    struct slot **known = arena_make_n(scratch, struct slot *, n);
    size_t n_known = 0;
    for (size_t i = 0; i < n; i++)
        if (slots[i].v->wholly_known)
            known[n_known++] = &slots[i];
    if (n_known < 2)
        return;
    qsort(known, n_known, sizeof(struct slot *), by_content);
    for (size_t i = 1; i < n_known; i++)
        known[i]->is_double = value_equals(known[i - 1]->v, known[i]->v) == TRI_TRUE;
}

/* Numbers of different precision may be equal although their values differ: they are adjacent, and the first one inserted
 * stays. */
static bool shares_key(const struct slot *a, const struct slot *b)
{
    if (rank(a->v) != rank(b->v))
        return false;
    if (a->v->state != VALUE_KNOWN)
        return true;
    if (a->v->type->kind == TYPE_NUMBER)
        return number_eq(a->v->number, b->v->number);
    return type_is_primitive(a->v->type) ? cmp_primitive(a->v, b->v) == 0 : str_eq(a->key, b->key);
}

static void write_keys(struct arena *scratch, struct slot *slots, size_t n)
{
    struct buf key BUF_AUTO = BUF_INIT(VALUE_MAX_ORDER_KEY);
    for (size_t i = 0; i < n; i++) {
        if (slots[i].v->state != VALUE_KNOWN || type_is_primitive(slots[i].v->type))
            continue;
        buf_clear(&key);
        write_order_key(&key, slots[i].v);
        slots[i].key = buf_copy(&key, scratch);
    }
}

size_t value_sort_set(struct arena *a, const struct value **v, size_t n)
{
    if (n < 2)
        return n;
    struct arena *scratch ARENA_AUTO = arena_new(a, 0);
    struct slot *slots = arena_make_n(scratch, struct slot, n);
    for (size_t i = 0; i < n; i++)
        slots[i] = (struct slot){.v = v[i], .place = i, .key = STR_EMPTY};
    write_keys(scratch, slots, n);
    qsort(slots, n, sizeof *slots, by_order);

    for (size_t start = 0, end; start < n; start = end) {
        for (end = start + 1; end < n && shares_key(&slots[end - 1], &slots[end]);)
            end++;
        if (end - start > 1)
            mark_doubles(scratch, slots + start, end - start);
    }
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!slots[i].is_double)
            v[kept++] = slots[i].v;
    return kept;
}
