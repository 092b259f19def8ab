/*
 * The common type of several types.
 *
 * Types of one kind are unified part by part, which may give a new type: objects with the same names give an object, other
 * objects a map; tuples of the same length give a tuple, other tuples a list. If that fails, one of the given types is chosen to
 * which all others convert; more general types are tried first.
 */
#include "value/convert.h"
#include "value/convert_types_private.h"

#include <stdlib.h>

typedef const struct type *const *types_t;

static const struct type *unify(struct arena *a, types_t types, size_t n, bool unsafe);

/* NULL unless each of the types is `want` or converts to it. */
static const struct type *if_all_convert(struct arena *a, types_t types, size_t n, const struct type *want, bool unsafe)
{
    for (size_t i = 0; i < n; i++)
        if (!type_eq(types[i], want) && !convert_possible(a, types[i], want, unsafe))
            return NULL;
    return want;
}

static const struct type *unify_collections(struct arena *a, types_t types, size_t n, bool unsafe)
{
    const struct type **elements = arena_make_n(a, const struct type *, n);
    for (size_t i = 0; i < n; i++)
        elements[i] = types[i]->element;
    const struct type *element = unify(a, elements, n, unsafe);
    return element ? if_all_convert(a, types, n, type_collection(a, types[0]->kind, element), unsafe) : NULL;
}

/* Unifies the parts of all these objects or tuples to one element type: a map or a list. */
static const struct type *unify_parts(struct arena *a, types_t types, size_t n, bool unsafe)
{
    size_t total = 0, k = 0;
    for (size_t i = 0; i < n; i++)
        total += types[i]->n;
    const struct type **parts = arena_make_n(a, const struct type *, total);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < types[i]->n; j++)
            parts[k++] = types[i]->kind == TYPE_OBJECT ? types[i]->attrs[j].type : types[i]->elements[j];
    const struct type *element = unify(a, parts, total, unsafe);
    if (!element)
        return NULL;
    enum type_kind kind = types[0]->kind == TYPE_OBJECT ? TYPE_MAP : TYPE_LIST;
    return if_all_convert(a, types, n, type_collection(a, kind, element), unsafe);
}

static bool have_same_names(types_t types, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (types[i]->n != types[0]->n)
            return false;
        for (size_t j = 0; j < types[0]->n; j++)
            if (!str_eq(types[i]->attrs[j].name, types[0]->attrs[j].name))
                return false;
    }
    return true;
}

static const struct type *unify_objects(struct arena *a, types_t types, size_t n, bool unsafe)
{
    if (!have_same_names(types, n))
        return unify_parts(a, types, n, unsafe);
    struct type_attr *attrs = arena_make_n(a, struct type_attr, types[0]->n);
    const struct type **across = arena_make_n(a, const struct type *, n);
    for (size_t j = 0; j < types[0]->n; j++) {
        for (size_t i = 0; i < n; i++)
            across[i] = types[i]->attrs[j].type;
        attrs[j] = (struct type_attr){.name = types[0]->attrs[j].name, .type = unify(a, across, n, unsafe)};
        if (!attrs[j].type)
            return NULL;
    }
    const struct type *object = if_all_convert(a, types, n, type_object(a, attrs, types[0]->n), unsafe);
    return object ? object : unify_parts(a, types, n, unsafe);
}

static const struct type *unify_tuples(struct arena *a, types_t types, size_t n, bool unsafe)
{
    for (size_t i = 1; i < n; i++)
        if (types[i]->n != types[0]->n)
            return unify_parts(a, types, n, unsafe);
    const struct type **elements = arena_make_n(a, const struct type *, types[0]->n);
    const struct type **across = arena_make_n(a, const struct type *, n);
    for (size_t j = 0; j < types[0]->n; j++) {
        for (size_t i = 0; i < n; i++)
            across[i] = types[i]->elements[j];
        elements[j] = unify(a, across, n, unsafe);
        if (!elements[j])
            return NULL;
    }
    const struct type *tuple = if_all_convert(a, types, n, type_tuple(a, elements, types[0]->n), unsafe);
    return tuple ? tuple : unify_parts(a, types, n, unsafe);
}

/* Unifies maps and objects to a map, or lists and tuples to a list: first the objects or tuples, then all. NULL if it fails. */
static const struct type *unify_mixed(struct arena *a, types_t types, size_t n, bool unsafe, enum type_kind structure)
{
    const struct type **structures = arena_make_n(a, const struct type *, n);
    size_t n_structures = 0;
    for (size_t i = 0; i < n; i++)
        if (types[i]->kind == structure)
            structures[n_structures++] = types[i];
    const struct type *collection = unify_parts(a, structures, n_structures, unsafe);
    if (!collection)
        return NULL;
    const struct type **replaced = arena_make_n(a, const struct type *, n);
    for (size_t i = 0; i < n; i++)
        replaced[i] = types[i]->kind == structure ? collection : types[i];
    const struct type *all = unify(a, replaced, n, unsafe);
    return all && all->kind == collection->kind ? all : NULL;
}

/* Negative when `a` is more general, positive when `b` is; assumes that the parts convert. */
static int compare(const struct type *a, const struct type *b);

static int compare_parts(const struct type *a, const struct type *b)
{
    bool a_wins = false, b_wins = false;
    if (a->n != b->n)
        return 0;
    for (size_t i = 0; i < a->n; i++) {
        bool is_object = a->kind == TYPE_OBJECT;
        if (is_object && !str_eq(a->attrs[i].name, b->attrs[i].name))
            return 0;
        int order = is_object ? compare(a->attrs[i].type, b->attrs[i].type) : compare(a->elements[i], b->elements[i]);
        a_wins |= order < 0;
        b_wins |= order > 0;
    }
    return b_wins - a_wins;
}

/* True when a's kind is more general than b's: lists are more general than tuples and sets, tuples than sets, maps than
 * objects. */
static bool takes_in(const struct type *a, const struct type *b)
{
    return (a->kind == TYPE_LIST && (b->kind == TYPE_TUPLE || b->kind == TYPE_SET)) ||
           (a->kind == TYPE_TUPLE && b->kind == TYPE_SET) || (a->kind == TYPE_MAP && b->kind == TYPE_OBJECT);
}

static int compare(const struct type *a, const struct type *b)
{
    if (a->kind == TYPE_DYNAMIC || b->kind == TYPE_DYNAMIC)
        return (a->kind == TYPE_DYNAMIC) - (b->kind == TYPE_DYNAMIC);
    if (type_is_primitive(a) && type_is_primitive(b))
        return (b->kind == TYPE_STRING) - (a->kind == TYPE_STRING);
    if (a->kind == b->kind)
        return type_is_collection(a) ? compare(a->element, b->element) : compare_parts(a, b);
    return takes_in(b, a) - takes_in(a, b);
}

/* Indexes of the types, more general ones first: a topological sort that otherwise keeps the given order. */
static size_t by_generality(struct arena *a, types_t types, size_t n, size_t *order)
{
    size_t *n_above = arena_make_n(a, size_t, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            n_above[i] += compare(types[j], types[i]) < 0;
    size_t filled = 0;
    for (size_t i = 0; i < n; i++)
        if (n_above[i] == 0)
            order[filled++] = i;
    for (size_t next = 0; next < filled; next++)
        for (size_t j = 0; j < n; j++)
            if (compare(types[order[next]], types[j]) < 0 && --n_above[j] == 0)
                order[filled++] = j;
    return filled;
}

static const struct type *choose(struct arena *a, types_t types, size_t n, bool unsafe)
{
    size_t *order = arena_make_n(a, size_t, n);
    size_t n_order = by_generality(a, types, n, order);
    for (size_t i = 0; i < n_order; i++)
        if (if_all_convert(a, types, n, types[order[i]], unsafe))
            return types[order[i]];
    return NULL;
}

static const struct type *unify_distinct(struct arena *a, types_t types, size_t n, bool unsafe)
{
    size_t of[TYPE_TUPLE + 1] = {0};
    for (size_t i = 0; i < n; i++)
        of[types[i]->kind]++;
    size_t open = of[TYPE_DYNAMIC], typed = n - open;
    const struct type *mixed = NULL;

    for (enum type_kind kind = TYPE_LIST; kind <= TYPE_TUPLE; kind++) {
        if (of[kind] == 0 || of[kind] != typed)
            continue;
        if (open > 0)
            return &type_dynamic; /* the result depends on the types that these will have */
        return kind == TYPE_OBJECT  ? unify_objects(a, types, n, unsafe)
               : kind == TYPE_TUPLE ? unify_tuples(a, types, n, unsafe)
                                    : unify_collections(a, types, n, unsafe);
    }
    if (of[TYPE_MAP] > 0 && of[TYPE_MAP] + of[TYPE_OBJECT] == typed)
        mixed = unify_mixed(a, types, n, unsafe, TYPE_OBJECT);
    else if (of[TYPE_LIST] > 0 && of[TYPE_LIST] + of[TYPE_TUPLE] == typed)
        mixed = unify_mixed(a, types, n, unsafe, TYPE_TUPLE);
    else if (of[TYPE_OBJECT] > 0 && of[TYPE_TUPLE] > 0)
        return NULL;
    return mixed ? mixed : choose(a, types, n, unsafe);
}

/* There are many elements but few types: duplicates are removed first, because the rest compares all pairs. */
static const struct type *unify(struct arena *a, types_t types, size_t n, bool unsafe)
{
    if (n == 0)
        return NULL;
    const struct type **distinct = arena_make_n(a, const struct type *, n);
    size_t n_distinct = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < n_distinct && !type_eq(distinct[k], types[i]))
            k++;
        if (k == n_distinct)
            distinct[n_distinct++] = types[i];
    }
    return n_distinct == 1 ? distinct[0] : unify_distinct(a, distinct, n_distinct, unsafe);
}

const struct type *unify_types(struct arena *a, const struct type *const *types, size_t n, bool unsafe)
{
    return unify(a, types, n, unsafe);
}

const struct type *unify_attributes(struct arena *a, const struct type *object, bool unsafe)
{
    const struct type **types = arena_make_n(a, const struct type *, object->n);
    for (size_t i = 0; i < object->n; i++)
        types[i] = object->attrs[i].type;
    return unify(a, types, object->n, unsafe);
}
