/*
 * One walk over schema, value and configuration together (map_object) serves several purposes: a function is called for each
 * attribute, from the outside in, and its result replaces the attribute.
 */
#include "shape.h"

#include "value/json_value.h"

#include <inttypes.h>

/* `config` is the attribute's configured value, NULL if it cannot be determined. */
typedef const struct value *attr_fn(void *ctx, struct arena *a, const struct schema_attr *attr, const struct type *t,
                                    const struct value *config, const struct value *v);

struct walk {
    struct arena *arena;
    attr_fn *fn;
    void *ctx;
};

/* The attributes and blocks of one level: a block has both, a nested attribute has only attributes. */
struct level {
    const struct schema_block *block;
    const struct schema_object *object;
};

static const struct value *map_object(const struct walk *w, struct level level, const struct type *t, const struct value *config,
                                      const struct value *v);

/* The type in the schema, unless that is dynamic. */
static const struct type *settle(const struct type *t, const struct value *v)
{
    return t->kind == v->type->kind ? t : v->type;
}

static bool agrees(const struct value *config, const struct value *v)
{
    if (config->state != VALUE_KNOWN || config->n != v->n)
        return config->state == VALUE_KNOWN && value_raw_eq(config, v);
    for (size_t i = 0; i < config->n; i++)
        if (!value_is_null(config->elements[i]) && !value_raw_eq(config->elements[i], v->elements[i]))
            return false;
    return true;
}

/* The element of the configured set that this one comes from: all its values agree. */
static const struct value *find_in_set(const struct value *set, const struct value *element)
{
    for (size_t i = 0; set && set->state == VALUE_KNOWN && i < set->n; i++)
        if (element->state == VALUE_KNOWN && agrees(set->elements[i], element))
            return set->elements[i];
    return NULL;
}

static const struct value *config_element(const struct value *config, const struct value *v, size_t i)
{
    if (!config || config->state != VALUE_KNOWN)
        return NULL;
    switch (v->type->kind) {
    case TYPE_SET:
        return find_in_set(config, v->elements[i]);
    case TYPE_MAP:
        return value_get(config, v->keys[i]);
    case TYPE_OBJECT:
        return value_get(config, v->type->attrs[i].name);
    default:
        return i < config->n ? config->elements[i] : NULL;
    }
}

static const struct value *map_collection(const struct walk *w, struct level level, const struct type *t,
                                          const struct value *config, const struct value *v)
{
    const struct type *type = settle(t, v);
    const struct value **elements = arena_make_n(w->arena, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++) {
        const struct type *element = type_is_collection(type) ? type->element : v->elements[i]->type;
        elements[i] = map_object(w, level, element, config_element(config, v, i), v->elements[i]);
    }
    switch (type->kind) {
    case TYPE_LIST:
        return value_list(w->arena, type->element, elements, v->n);
    case TYPE_SET:
        return value_set(w->arena, type->element, elements, v->n);
    case TYPE_MAP:
        return value_map(w->arena, type->element, v->keys, elements, v->n);
    case TYPE_TUPLE:
        return value_tuple(w->arena, elements, v->n);
    case TYPE_OBJECT: /* a map with elements of different types */
        return value_object(w->arena, type, elements);
    default:
        return v;
    }
}

static const struct value *map_nested(const struct walk *w, struct level level, enum schema_nesting nesting, const struct type *t,
                                      const struct value *config, const struct value *v)
{
    if (v->state != VALUE_KNOWN)
        return v;
    bool is_single = nesting == NESTING_SINGLE || nesting == NESTING_GROUP;
    return (is_single ? map_object : map_collection)(w, level, t, config, v);
}

static const struct value *map_attr(const struct walk *w, const struct schema_attr *attr, const struct type *t,
                                    const struct value *config, const struct value *v)
{
    v = w->fn(w->ctx, w->arena, attr, t, config, v);
    if (!attr->nested)
        return v;
    return map_nested(w, (struct level){.object = attr->nested}, attr->nested->nesting, t, config, v);
}

static const struct value *map_member(const struct walk *w, struct level level, struct str name, const struct type *t,
                                      const struct value *config, const struct value *v)
{
    const struct schema_attr *attr = level.block ? schema_block_attr(level.block, name) : schema_object_attr(level.object, name);
    if (attr)
        return map_attr(w, attr, t, config, v);
    const struct schema_nested_block *nested = schema_block_block(level.block, name);
    return map_nested(w, (struct level){.block = nested->block}, nested->nesting, t, config, v);
}

static const struct value *map_object(const struct walk *w, struct level level, const struct type *t, const struct value *config,
                                      const struct value *v)
{
    if (v->state != VALUE_KNOWN)
        return v;
    const struct type *type = settle(t, v);
    const struct value **elements = arena_make_n(w->arena, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++) {
        struct str name = type->attrs[i].name;
        const struct value *said = config && config->state == VALUE_KNOWN ? value_get(config, name) : NULL;
        elements[i] = map_member(w, level, name, type->attrs[i].type, said, v->elements[i]);
    }
    return value_object(w->arena, type, elements);
}

static const struct value *map_schema(struct arena *a, const struct schema *s, const struct value *config, const struct value *v,
                                      attr_fn *fn, void *ctx)
{
    const struct walk w = {a, fn, ctx};
    return map_object(&w, (struct level){.block = s->block}, s->type, config, v);
}

/* ---- uses of the walk ---- */

struct marking {
    const struct value *keep;
    const struct schema_block *top;
};

static const struct value *mark_attr(void *ctx, struct arena *a, const struct schema_attr *attr, const struct type *t,
                                     const struct value *config, const struct value *v)
{
    const struct marking *m = ctx;
    if (!attr->computed || (config && !value_is_null(config)))
        return v;
    bool is_id = str_eq(attr->name, STR("id")) && attr == schema_block_attr(m->top, attr->name);
    return is_id && m->keep ? value_get(m->keep, attr->name) : value_unknown(a, t);
}

const struct value *shape_mark_computed(struct arena *a, const struct schema *s, const struct value *config,
                                        const struct value *planned, const struct value *keep)
{
    struct marking m = {keep, s->block};
    return map_schema(a, s, config, planned, mark_attr, &m);
}

static const struct value *null_write_only(void *ctx, struct arena *a, const struct schema_attr *attr, const struct type *t,
                                           const struct value *config, const struct value *v)
{
    (void)ctx;
    (void)config;
    return attr->write_only ? value_null(a, t) : v;
}

const struct value *shape_null_write_only(struct arena *a, const struct schema *s, const struct value *v)
{
    return map_schema(a, s, NULL, v, null_write_only, NULL);
}

static const struct value *null_computed_only(void *ctx, struct arena *a, const struct schema_attr *attr, const struct type *t,
                                              const struct value *config, const struct value *v)
{
    (void)ctx;
    (void)config;
    return attr->computed && !attr->optional ? value_null(a, t) : v;
}

const struct value *shape_config_of(struct arena *a, const struct schema *s, const struct value *v)
{
    return map_schema(a, s, NULL, v, null_computed_only, NULL);
}

/* ---- inventing ---- */

const struct value *shape_invent(struct arena *a, const struct type *t, struct str what, uint64_t seed)
{
    uint64_t hash = str_hash(what, seed);
    const struct value **elements;
    switch (t->kind) {
    case TYPE_DYNAMIC:
    case TYPE_STRING:
        return value_string(a, arena_printf(a, STR_FMT "-%016" PRIx64, STR_ARG(what), hash));
    case TYPE_NUMBER:
        return value_int(a, (int64_t)(hash % 10000));
    case TYPE_BOOL:
        return value_bool(a, hash & 1);
    case TYPE_LIST:
        return value_list(a, t->element, NULL, 0);
    case TYPE_SET:
        return value_set(a, t->element, NULL, 0);
    case TYPE_MAP:
        return value_map(a, t->element, NULL, NULL, 0);
    case TYPE_OBJECT:
        elements = arena_make_n(a, const struct value *, t->n);
        for (size_t i = 0; i < t->n; i++)
            elements[i] = shape_invent(a, t->attrs[i].type, t->attrs[i].name, hash);
        return value_object(a, t, elements);
    case TYPE_TUPLE:
        elements = arena_make_n(a, const struct value *, t->n);
        for (size_t i = 0; i < t->n; i++)
            elements[i] = shape_invent(a, t->elements[i], what, hash + i);
        return value_tuple(a, elements, t->n);
    }
    return NULL;
}

struct filling {
    struct str id;
    uint64_t seed;
};

static const struct value *fill_node(void *ctx, struct arena *a, struct path path, const struct value *v)
{
    const struct filling *f = ctx;
    if (v->state != VALUE_UNKNOWN)
        return v;
    if (path.n == 1 && str_eq(path.steps[0].name, STR("id")) && v->type->kind == TYPE_STRING && f->id.n > 0)
        return value_string(a, f->id);
    struct str text = path_text(a, path);
    struct str what = path.n > 0 && path.steps[path.n - 1].name.n > 0 ? path.steps[path.n - 1].name : STR("value");
    return shape_invent(a, v->type, what, str_hash(text, f->seed));
}

const struct value *shape_fill(struct arena *a, const struct value *v, struct str id, uint64_t seed)
{
    struct filling f = {id, seed};
    return v->wholly_known ? v : value_transform(a, v, fill_node, &f);
}

/* ---- reading foreign states ---- */

static const struct json *fit(struct arena *a, const struct json *j, const struct type *t);

static const struct json *fit_object(struct arena *a, const struct json *j, const struct type *t)
{
    struct json_member *members = arena_make_n(a, struct json_member, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct json *value = json_get_str(j, t->attrs[i].name);
        members[i] = (struct json_member){
            .key = t->attrs[i].name,
            .value = value ? fit(a, value, t->attrs[i].type) : json_make_null(a),
        };
    }
    return json_make_object(a, members, t->n);
}

static const struct json *fit_elements(struct arena *a, const struct json *j, const struct type *element)
{
    if (j->kind == JSON_ARRAY) {
        const struct json **items = arena_make_n(a, const struct json *, j->array.n);
        for (size_t i = 0; i < j->array.n; i++)
            items[i] = fit(a, j->array.items[i], element);
        return json_make_array(a, items, j->array.n);
    }
    if (j->kind == JSON_OBJECT) {
        struct json_member *members = arena_make_n(a, struct json_member, j->object.n);
        for (size_t i = 0; i < j->object.n; i++)
            members[i] = (struct json_member){
                .key = j->object.members[i].key,
                .value = fit(a, j->object.members[i].value, element),
            };
        return json_make_object(a, members, j->object.n);
    }
    return j;
}

static const struct json *fit(struct arena *a, const struct json *j, const struct type *t)
{
    if (t->kind == TYPE_OBJECT && j->kind == JSON_OBJECT)
        return fit_object(a, j, t);
    return type_is_collection(t) ? fit_elements(a, j, t->element) : j;
}

const struct value *shape_from_json(struct arena *a, const struct json *j, const struct type *t, struct diags *diags)
{
    return value_from_json(a, fit(a, j, t), t, PATH_ROOT, diags);
}

const struct value *shape_pick(struct arena *a, const struct type *object, const struct value *from)
{
    const struct value **elements = arena_make_n(a, const struct value *, object->n);
    for (size_t i = 0; i < object->n; i++) {
        const struct type *t = object->attrs[i].type;
        const struct value *v = from ? value_get(from, object->attrs[i].name) : NULL;
        elements[i] = v && type_conforms(v->type, t) ? v : value_null(a, t);
    }
    return value_object(a, object, elements);
}
