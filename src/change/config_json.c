#include "change/config_json_private.h"

#include <stdlib.h>

const struct json config_unknown = {.kind = JSON_STRING, .text = {"", 0}};
static const struct json nothing = {.kind = JSON_NULL};

static bool fits_members(const struct json *config, const struct json *unknown)
{
    for (size_t i = 0; i < unknown->object.n; i++) {
        const struct json_member *m = &unknown->object.members[i];
        if (!change_config_fits(json_get_str(config, m->key), m->value))
            return false;
    }
    return true;
}

static bool fits_items(const struct json *config, const struct json *unknown)
{
    for (size_t i = 0; i < unknown->array.n; i++) {
        const struct json *item = config && config->kind == JSON_ARRAY && i < config->array.n ? config->array.items[i] : NULL;
        if (!change_config_fits(item, unknown->array.items[i]))
            return false;
    }
    return true;
}

bool change_config_fits(const struct json *config, const struct json *unknown)
{
    bool absent = !config || config->kind == JSON_NULL;
    if (!unknown || (unknown->kind != JSON_OBJECT && unknown->kind != JSON_ARRAY))
        return true;
    if (!absent && config->kind != unknown->kind)
        return false;
    return unknown->kind == JSON_OBJECT ? fits_members(config, unknown) : fits_items(config, unknown);
}

/* First the members of `unknown`, in their order, then the rest of the configuration. */
static const struct json *merge_members(struct arena *a, const struct json *config, const struct json *unknown)
{
    bool absent = config->kind != JSON_OBJECT;
    size_t n = 0;
    struct json_member *members = arena_make_n(a, struct json_member, unknown->object.n + (absent ? 0 : config->object.n));
    for (size_t i = 0; i < unknown->object.n; i++) {
        const struct json_member *m = &unknown->object.members[i];
        const struct json *have = json_get_str(config, m->key);
        members[n] = *m;
        members[n++].value = config_merge(a, have ? have : &nothing, m->value);
    }
    for (size_t i = 0; !absent && i < config->object.n; i++)
        if (!json_get_str(unknown, config->object.members[i].key))
            members[n++] = config->object.members[i];
    return json_make_object(a, members, n);
}

static const struct json *merge_items(struct arena *a, const struct json *config, const struct json *unknown)
{
    size_t have = config->kind == JSON_ARRAY ? config->array.n : 0;
    size_t n = have > unknown->array.n ? have : unknown->array.n;
    const struct json **items = arena_make_n(a, const struct json *, n);
    for (size_t i = 0; i < n; i++) {
        items[i] = i < have ? config->array.items[i] : &nothing;
        if (i < unknown->array.n)
            items[i] = config_merge(a, items[i], unknown->array.items[i]);
    }
    return json_make_array(a, items, n);
}

const struct json *config_merge(struct arena *a, const struct json *config, const struct json *unknown)
{
    if (unknown->kind == JSON_BOOL && unknown->boolean)
        return &config_unknown;
    if (unknown->kind == JSON_OBJECT)
        return merge_members(a, config, unknown);
    return unknown->kind == JSON_ARRAY ? merge_items(a, config, unknown) : config;
}

static const struct value *tuple_of(struct arena *a, const struct json *j, struct config_oddity *ret_odd)
{
    const struct value **elements = arena_make_n(a, const struct value *, j->array.n);
    for (size_t i = 0; i < j->array.n; i++) {
        elements[i] = config_value(a, j->array.items[i], ret_odd);
        if (!elements[i])
            return NULL;
    }
    return value_tuple(a, elements, j->array.n);
}

struct str config_name(struct arena *a, struct str key)
{
    const struct value *name = value_string(a, key);
    return name ? name->string : STR_EMPTY;
}

struct slot {
    struct str name;
    const struct value *value;
    size_t order;
};

static int by_name(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    int order = str_cmp(x->name, y->name);
    return order != 0 ? order : x->order < y->order ? -1 : 1;
}

static const struct value *object_of(struct arena *a, const struct json *j, struct config_oddity *ret_odd)
{
    size_t n = j->object.n, kept = 0;
    struct slot *slots = arena_make_n(a, struct slot, n);
    for (size_t i = 0; i < n; i++) {
        slots[i].value = config_value(a, j->object.members[i].value, ret_odd);
        if (!slots[i].value)
            return NULL;
        slots[i].name = config_name(a, j->object.members[i].key);
        slots[i].order = i;
    }
    if (n > 0)
        qsort(slots, n, sizeof *slots, by_name);
    struct type_attr *attrs = arena_make_n(a, struct type_attr, n);
    const struct value **elements = arena_make_n(a, const struct value *, n);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && str_eq(slots[i].name, slots[i - 1].name)) {
            ret_odd->twice = true;
            continue;
        }
        attrs[kept] = (struct type_attr){.name = slots[i].name, .type = slots[i].value->type};
        elements[kept++] = slots[i].value;
    }
    return value_object(a, type_object(a, attrs, kept), elements);
}

const struct value *config_value(struct arena *a, const struct json *j, struct config_oddity *ret_odd)
{
    const struct value *text;
    struct number n;
    if (j == &config_unknown)
        return value_unknown(a, &type_dynamic);
    switch (j->kind) {
    case JSON_NULL:
        return value_null(a, &type_dynamic);
    case JSON_BOOL:
        return value_bool(a, j->boolean);
    case JSON_NUMBER:
        if (number_parse(a, j->text, &n))
            return value_number(a, n);
        ret_odd->problem = "a number of such a size cannot be represented";
        return NULL;
    case JSON_STRING:
        text = value_string(a, j->text);
        if (!text)
            ret_odd->problem = "text must be UTF-8";
        return text;
    case JSON_ARRAY:
        return tuple_of(a, j, ret_odd);
    case JSON_OBJECT:
        return object_of(a, j, ret_odd);
    }
    return NULL;
}
