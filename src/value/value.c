/*
 * Constructors. Arrays and texts are copied; elements and types are shared.
 *
 * Values without content are constants shared by all arenas, because a resource has many nulls.
 */
#include "value/value.h"

#include "value/text_private.h"
#include "value/value_private.h"

#include <assert.h>
#include <stdlib.h>

#define CONSTANTS(kind)                                                                                                          \
    {                                                                                                                            \
        [VALUE_NULL] = {.type = &(kind), .state = VALUE_NULL, .wholly_known = true}, [VALUE_UNKNOWN] = {                         \
            .type = &(kind),                                                                                                     \
            .state = VALUE_UNKNOWN                                                                                               \
        }                                                                                                                        \
    }

static const struct value constants[][3] = {
    [TYPE_DYNAMIC] = CONSTANTS(type_dynamic),
    [TYPE_STRING] = CONSTANTS(type_string),
    [TYPE_NUMBER] = CONSTANTS(type_number),
    [TYPE_BOOL] = CONSTANTS(type_bool),
};
static const struct value bools[] = {
    {.type = &type_bool, .wholly_known = true, .boolean = false},
    {.type = &type_bool, .wholly_known = true, .boolean = true},
};

static const struct value *without_content(struct arena *a, const struct type *t, enum value_state state)
{
    if (t->kind <= TYPE_BOOL)
        return &constants[t->kind][state];
    struct value *v = arena_make(a, struct value);
    *v = (struct value){.type = t->plain, .state = state, .wholly_known = state == VALUE_NULL};
    return v;
}

const struct value *value_null(struct arena *a, const struct type *t)
{
    return without_content(a, t, VALUE_NULL);
}

const struct value *value_unknown(struct arena *a, const struct type *t)
{
    return without_content(a, t, VALUE_UNKNOWN);
}

const struct value *value_bool(struct arena *a, bool b)
{
    (void)a;
    return &bools[b];
}

const struct value *value_number(struct arena *a, struct number n)
{
    struct value *v = arena_make(a, struct value);
    *v = (struct value){.type = &type_number, .wholly_known = true, .number = n};
    return v;
}

const struct value *value_int(struct arena *a, int64_t i)
{
    return value_number(a, number_from_i64(i));
}

const struct value *value_string(struct arena *a, struct str text)
{
    struct str normal;
    if (!text_normalize(a, text, &normal))
        return NULL;
    struct value *v = arena_make(a, struct value);
    *v = (struct value){.type = &type_string, .wholly_known = true, .string = normal};
    return v;
}

const struct value *value_container(struct arena *a, const struct type *t, const struct value *const *elements,
                                    const struct str *keys, size_t n)
{
    struct value *v = arena_make(a, struct value);
    *v = (struct value){.type = t, .wholly_known = true, .n = n, .elements = elements, .keys = keys};
    for (size_t i = 0; i < n; i++)
        v->wholly_known &= elements[i]->wholly_known;
    return v;
}

bool value_have_one_type(const struct value *const *v, size_t n)
{
    const struct type *first = &type_dynamic;
    for (size_t i = 0; i < n; i++) {
        if (first->kind == TYPE_DYNAMIC)
            first = v[i]->type;
        else if (v[i]->type->kind != TYPE_DYNAMIC && !type_eq(v[i]->type, first))
            return false;
    }
    return true;
}

const struct type *value_element_type(const struct type *element, const struct value *const *v, size_t n)
{
    if (!element->has_dynamic)
        return element->plain;
    for (size_t i = 0; i < n; i++)
        if (v[i]->type->kind != TYPE_DYNAMIC)
            return v[i]->type;
    return element->plain;
}

const struct value *value_retype(struct arena *a, const struct value *v, const struct type *t)
{
    if (v->type == t)
        return v;
    if (v->type->kind == TYPE_DYNAMIC)
        return without_content(a, t, v->state);
    assert(type_eq(v->type, t));
    return v;
}

static const struct value **retyped(struct arena *a, const struct type *element, const struct value *const *v, size_t n)
{
    const struct value **copy = arena_make_n(a, const struct value *, n);
    for (size_t i = 0; i < n; i++)
        copy[i] = value_retype(a, v[i], element);
    return copy;
}

const struct value *value_list(struct arena *a, const struct type *element, const struct value *const *v, size_t n)
{
    element = value_element_type(element, v, n);
    return value_container(a, type_list(a, element), retyped(a, element, v, n), NULL, n);
}

const struct value *value_set(struct arena *a, const struct type *element, const struct value *const *v, size_t n)
{
    element = value_element_type(element, v, n);
    const struct value **elements = retyped(a, element, v, n);
    n = value_sort_set(a, elements, n);
    return value_container(a, type_set(a, element), elements, NULL, n);
}

const struct value *value_tuple(struct arena *a, const struct value *const *v, size_t n)
{
    const struct type **types = arena_make_n(a, const struct type *, n);
    const struct value **elements = arena_make_n(a, const struct value *, n);
    for (size_t i = 0; i < n; i++) {
        types[i] = v[i]->type;
        elements[i] = v[i];
    }
    return value_container(a, type_tuple(a, types, n), elements, NULL, n);
}

struct map_slot {
    struct str key;
    size_t at; /* position in the caller's arrays */
};

static int by_key_then_place(const void *a, const void *b)
{
    const struct map_slot *x = a, *y = b;
    int order = str_cmp(x->key, y->key);
    return order != 0 ? order : (x->at > y->at) - (x->at < y->at);
}

bool value_keys_ascend(const struct str *keys, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (str_cmp(keys[i - 1], keys[i]) >= 0)
            return false;
    return true;
}

/* Sorts keys and elements by key; of equal keys the last one is kept. Returns how many are left. */
static size_t sort_map(struct arena *a, struct str *keys, const struct value **elements, size_t n)
{
    if (value_keys_ascend(keys, n))
        return n;
    struct map_slot *slots = arena_make_n(a, struct map_slot, n);
    const struct value **from = arena_make_n(a, const struct value *, n);
    for (size_t i = 0; i < n; i++) {
        slots[i] = (struct map_slot){keys[i], i};
        from[i] = elements[i];
    }
    qsort(slots, n, sizeof *slots, by_key_then_place);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && str_eq(slots[i].key, slots[i + 1].key))
            continue;
        keys[kept] = slots[i].key;
        elements[kept++] = from[slots[i].at];
    }
    return kept;
}

const struct value *value_map(struct arena *a, const struct type *element, const struct str *keys, const struct value *const *v,
                              size_t n)
{
    element = value_element_type(element, v, n);
    const struct value **elements = retyped(a, element, v, n);
    struct str *sorted = arena_make_n(a, struct str, n);
    for (size_t i = 0; i < n; i++)
        sorted[i] = keys[i];
    n = sort_map(a, sorted, elements, n);
    return value_container(a, type_map(a, element), elements, sorted, n);
}

/* `t` with the attributes' types taken from the values. */
static const struct type *object_type_of(struct arena *a, const struct type *t, const struct value *const *v)
{
    struct type_attr *attrs = arena_make_n(a, struct type_attr, t->n);
    for (size_t i = 0; i < t->n; i++)
        attrs[i] = (struct type_attr){.name = t->attrs[i].name, .type = v[i]->type};
    return type_object(a, attrs, t->n);
}

const struct value *value_object(struct arena *a, const struct type *t, const struct value *const *v)
{
    const struct value **elements = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++) {
        assert(type_conforms(v[i]->type, t->attrs[i].type));
        elements[i] = v[i];
    }
    const struct type *own = t->has_dynamic ? object_type_of(a, t, elements) : t->plain;
    return value_container(a, own, elements, NULL, t->n);
}

static bool types_unchanged(const struct value *v, const struct value *const *elements)
{
    for (size_t i = 0; i < v->n; i++)
        if (elements[i]->type != v->elements[i]->type && !type_eq(elements[i]->type, v->elements[i]->type))
            return false;
    return true;
}

const struct value *value_with_elements(struct arena *a, const struct value *v, const struct value *const *elements)
{
    const struct type *element = types_unchanged(v, elements) ? v->type->element : &type_dynamic;
    switch (v->type->kind) {
    case TYPE_LIST:
        return value_list(a, element, elements, v->n);
    case TYPE_SET:
        return value_set(a, element, elements, v->n);
    case TYPE_MAP:
        return value_map(a, element, v->keys, elements, v->n);
    case TYPE_TUPLE:
        return value_tuple(a, elements, v->n);
    case TYPE_OBJECT: {
        const struct value **copy = arena_make_n(a, const struct value *, v->n);
        for (size_t i = 0; i < v->n; i++)
            copy[i] = elements[i];
        const struct type *t = types_unchanged(v, elements) ? v->type : object_type_of(a, v->type, elements);
        return value_container(a, t, copy, NULL, v->n);
    }
    default:
        return v;
    }
}

static size_t find_key(const struct value *map, struct str key)
{
    size_t low = 0, high = map->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = str_cmp(key, map->keys[middle]);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return SIZE_MAX;
}

const struct value *value_get(const struct value *v, struct str name)
{
    if (v->state != VALUE_KNOWN)
        return NULL;
    size_t at = v->type->kind == TYPE_OBJECT ? type_attr_find(v->type, name)
                : v->type->kind == TYPE_MAP  ? find_key(v, name)
                                             : SIZE_MAX;
    return at == SIZE_MAX ? NULL : v->elements[at];
}
