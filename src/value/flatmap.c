/*
 * Entries are sorted by key, so the entries of a collection are adjacent and each lookup is a binary search.
 */
#include "value/flatmap.h"

#include "base/buf.h"
#include "base/vec.h"
#include "value/convert.h"
#include "value/text_private.h"
#include "value/value_private.h"

#include <stdlib.h>

enum {
    /* Missing list elements are null; the limit prevents a short text from creating a long list. */
    MAX_MISSING_ELEMENTS = 1024,
};

static struct str join(struct arena *a, struct str prefix, struct str name)
{
    return prefix.n == 0 ? name : arena_printf(a, STR_FMT "." STR_FMT, STR_ARG(prefix), STR_ARG(name));
}

static struct str join_index(struct arena *a, struct str prefix, size_t i)
{
    return arena_printf(a, STR_FMT ".%zu", STR_ARG(prefix), i);
}

struct reader {
    struct arena *arena;
    const struct flatmap *map;
    struct diags *diags;
};

/* The first entry whose key is not before `key`. */
static size_t lower_bound(const struct flatmap *f, struct str key)
{
    size_t low = 0, high = f->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (str_cmp(f->v[middle].key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct str *find(struct reader *r, struct str key)
{
    size_t i = lower_bound(r->map, key);
    return i < r->map->n && str_eq(r->map->v[i].key, key) ? &r->map->v[i].value : NULL;
}

static bool is_unknown(const struct str *text)
{
    return text && str_eqz(*text, FLATMAP_UNKNOWN);
}

static const struct value *fail(struct reader *r, const char *what, struct str key)
{
    (void)diags_fail(r->diags, "Invalid state", "%s for \"" STR_FMT "\" in state", what, STR_ARG(key));
    return NULL;
}

static const struct value *read_value(struct reader *r, struct str key, const struct type *t);

static const struct value *read_primitive(struct reader *r, struct str key, const struct type *t)
{
    const struct str *text = find(r, key);
    if (!text)
        return value_null(r->arena, t);
    if (is_unknown(text))
        return value_unknown(r->arena, t);
    struct number n;
    const struct value *v = NULL;
    if (t->kind == TYPE_STRING)
        v = value_string(r->arena, *text);
    else if (t->kind == TYPE_NUMBER)
        v = number_parse(r->arena, *text, &n) ? value_number(r->arena, n) : NULL;
    else if (str_eqz(*text, "true") || str_eqz(*text, "1"))
        v = value_bool(r->arena, true);
    else if (str_eqz(*text, "false") || str_eqz(*text, "0"))
        v = value_bool(r->arena, false);
    return v ? v : fail(r, "invalid value", key);
}

static const struct value *read_object(struct reader *r, struct str key, const struct type *t)
{
    const struct value **elements = arena_make_n(r->arena, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++) {
        elements[i] = read_value(r, join(r->arena, key, t->attrs[i].name), t->attrs[i].type);
        if (!elements[i])
            return NULL;
    }
    return value_object(r->arena, t, elements);
}

/* Number of entries inside the collection. */
static size_t n_inside(struct reader *r, struct str key)
{
    struct str prefix = join(r->arena, key, STR_EMPTY);
    size_t first = lower_bound(r->map, prefix), n = 0;
    while (first + n < r->map->n && str_starts(r->map->v[first + n].key, prefix))
        n++;
    return n;
}

static bool read_count(struct reader *r, struct str key, struct str text, size_t *ret)
{
    int64_t count;
    if (!str_to_i64(text, &count) || count < 0 || (uint64_t)count > n_inside(r, key) + MAX_MISSING_ELEMENTS)
        return fail(r, "invalid count value", key) != NULL;
    *ret = (size_t)count;
    return true;
}

/* A list or a tuple. */
static const struct value *read_sequence(struct reader *r, struct str key, struct str count, const struct type *t)
{
    size_t n;
    if (!read_count(r, key, count, &n))
        return NULL;
    if (t->kind == TYPE_TUPLE && n != t->n)
        return fail(r, "wrong number of values", key);
    const struct value **elements = arena_make_n(r->arena, const struct value *, n);
    for (size_t i = 0; i < n; i++) {
        elements[i] = read_value(r, join_index(r->arena, key, i), t->kind == TYPE_TUPLE ? t->elements[i] : t->element);
        if (!elements[i])
            return NULL;
    }
    return t->kind == TYPE_TUPLE ? value_tuple(r->arena, elements, n) : value_list(r->arena, t->element, elements, n);
}

/* Every entry with the prefix is an element; the text after the prefix is its key, including dots. */
static const struct value *read_map(struct reader *r, struct str key, const struct type *t)
{
    struct str prefix = join(r->arena, key, STR_EMPTY);
    size_t first = lower_bound(r->map, prefix), n = n_inside(r, key), kept = 0;
    const struct value **elements = arena_make_n(r->arena, const struct value *, n);
    struct str *keys = arena_make_n(r->arena, struct str, n);
    for (size_t i = first; i < first + n; i++) {
        struct str full = r->map->v[i].key, name = str_slice(full, prefix.n, full.n);
        if (str_eqz(name, "%"))
            continue;
        if (!text_normalize(r->arena, name, &keys[kept]))
            return fail(r, "invalid key", full);
        elements[kept] = read_value(r, full, t->element);
        if (!elements[kept++])
            return NULL;
    }
    return value_map(r->arena, t->element, keys, elements, kept);
}

/* For a set with count 1 and no stored element: the element is empty, as old SDKs wrote it. */
static const struct value *empty_element(struct reader *r, const struct type *t)
{
    if (t->kind != TYPE_OBJECT)
        return type_is_collection(t) ? value_container(r->arena, t->plain, NULL, NULL, 0) : value_null(r->arena, t);
    const struct value **elements = arena_make_n(r->arena, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++)
        elements[i] = value_null(r->arena, t->attrs[i].type);
    return value_object(r->arena, t, elements);
}

/* Elements are distinguished by the first part of their keys, a hash whose value has no meaning. */
static const struct value *read_set(struct reader *r, struct str key, struct str count, const struct type *t)
{
    struct str prefix = join(r->arena, key, STR_EMPTY);
    size_t first = lower_bound(r->map, prefix), n = n_inside(r, key), kept = 0;
    const struct value **elements = arena_make_n(r->arena, const struct value *, n + 1);
    struct str previous = STR_EMPTY;
    for (size_t i = first; i < first + n; i++) {
        struct str full = r->map->v[i].key;
        size_t dot = str_find(full, '.', prefix.n);
        struct str element = dot == SIZE_MAX ? full : str_slice(full, 0, dot);
        bool is_count = full.n == prefix.n + 1 && full.p[prefix.n] == '#';
        if (is_count || str_eq(element, previous))
            continue;
        previous = element;
        elements[kept] = read_value(r, element, t->element);
        if (!elements[kept++])
            return NULL;
    }
    if (kept == 0 && str_eqz(count, "1"))
        elements[kept++] = empty_element(r, t->element);
    return value_set(r->arena, t->element, elements, kept);
}

static const struct value *read_collection(struct reader *r, struct str key, const struct type *t)
{
    const struct str *count = find(r, join(r->arena, key, t->kind == TYPE_MAP ? STR("%") : STR("#")));
    if (is_unknown(find(r, key)) || is_unknown(count))
        return value_unknown(r->arena, t);
    if (!count)
        return value_null(r->arena, t);
    return t->kind == TYPE_MAP   ? read_map(r, key, t)
           : t->kind == TYPE_SET ? read_set(r, key, *count, t)
                                 : read_sequence(r, key, *count, t);
}

static const struct value *read_value(struct reader *r, struct str key, const struct type *t)
{
    if (arena_exhausted(r->arena))
        return fail(r, "too many values", key);
    if (type_is_primitive(t))
        return read_primitive(r, key, t);
    if (t->kind == TYPE_OBJECT)
        return read_object(r, key, t);
    if (t->has_dynamic)
        return fail(r, "no type is known", key);
    return read_collection(r, key, t);
}

const struct value *flatmap_to_value(struct arena *a, const struct flatmap *f, const struct type *object, struct diags *diags)
{
    struct reader r = {.arena = a, .map = f, .diags = diags};
    return read_object(&r, STR_EMPTY, object);
}
