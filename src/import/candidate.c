/* The first candidate for a configuration, and operations on parts of values. */
#include "base/vec.h"
#include "import/configure.h"
#include "value/trail.h"

bool import_is_zero(const struct value *v)
{
    if (v->state != VALUE_KNOWN)
        return v->state == VALUE_NULL;
    switch (v->type->kind) {
    case TYPE_BOOL:
        return !v->boolean;
    case TYPE_NUMBER:
        return number_eq(v->number, number_from_i64(0));
    case TYPE_STRING:
        return v->string.n == 0;
    default:
        return v->n == 0;
    }
}

/* --- the candidate --- */

static bool is_empty_text(const struct value *v)
{
    return v->state == VALUE_KNOWN && v->type->kind == TYPE_STRING && v->string.n == 0;
}

/* tags_all beside tags: a copy with the provider's additions, which is never written. */
static bool is_copy(const struct schema_block *block, const struct schema_attr *attr)
{
    struct str ending = STR("_all");
    return attr->computed && str_ends(attr->name, ending) &&
           schema_block_attr(block, str_slice(attr->name, 0, attr->name.n - ending.n));
}

/* A made-up value for an argument that is required and not readable; NULL: not possible for this type. */
static const struct value *made_up(struct arena *a, const struct type *t)
{
    switch (t->kind) {
    case TYPE_STRING:
        return value_string(a, STR("unknown"));
    case TYPE_NUMBER:
        return value_int(a, 1);
    case TYPE_BOOL:
        return value_bool(a, false);
    default:
        return NULL;
    }
}

/* An object with its required attributes. Recursion is as deep as the schema. */
static const struct value *made_up_object(struct arena *a, const struct schema_object *schema, const struct type *t)
{
    const struct value **parts = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct schema_attr *attr = schema_object_attr(schema, t->attrs[i].name);
        const struct value *part = attr && attr->required ? import_made_up_for(a, attr) : NULL;
        if (attr && attr->required && !part)
            return NULL;
        parts[i] = part ? part : value_null(a, t->attrs[i].type);
    }
    return value_object(a, t, parts);
}

/* A collection with one element. */
static const struct value *made_up_collection(struct arena *a, const struct type *t, const struct value *one)
{
    return !one                   ? NULL
           : t->kind == TYPE_LIST ? value_list(a, t->element, &one, 1)
           : t->kind == TYPE_SET  ? value_set(a, t->element, &one, 1)
                                  : value_map(a, t->element, &STR("unknown"), &one, 1);
}

const struct value *import_made_up_for(struct arena *a, const struct schema_attr *attr)
{
    const struct type *t = attr->value_type;
    bool collection = t->kind == TYPE_LIST || t->kind == TYPE_SET || t->kind == TYPE_MAP;
    if (t->has_dynamic)
        return NULL;
    if (collection)
        return made_up_collection(a, t, attr->nested ? made_up_object(a, attr->nested, t->element) : made_up(a, t->element));
    return attr->nested && t->kind == TYPE_OBJECT ? made_up_object(a, attr->nested, t) : made_up(a, t);
}

/* Made-up passwords are long enough and have enough kinds of characters for common password rules. */
static const struct value *made_up_inside(struct arena *a, const struct schema_attr *attr)
{
    bool secret = attr->sensitive && attr->value_type->kind == TYPE_STRING;
    return secret ? value_string(a, STR("Unknown-Secret-0")) : import_made_up_for(a, attr);
}

/* `v` NULL: makes up all required attributes. Returns NULL if that is not possible. */
static const struct value *filled_object(struct arena *a, const struct schema_block *block, const struct value *v)
{
    const struct type *t = block->type;
    const struct value **parts = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct schema_attr *attr = schema_block_attr(block, t->attrs[i].name);
        const struct schema_nested_block *nested = schema_block_block(block, t->attrs[i].name);
        const struct value *now = v ? v->elements[i] : nested ? schema_empty_nested(a, nested) : value_null(a, t->attrs[i].type);
        bool lacks = attr && attr->required && (v ? attr->sensitive && import_is_zero(now) : true);
        const struct value *filler = lacks ? made_up_inside(a, attr) : now;
        if (!filler)
            return v;
        parts[i] = nested ? import_filled(a, nested, now) : filler;
    }
    return v ? value_with_elements(a, v, parts) : value_object(a, t, parts);
}

const struct value *import_filled(struct arena *a, const struct schema_nested_block *nested, const struct value *v)
{
    bool many = v->type->kind == TYPE_LIST || v->type->kind == TYPE_SET, changed = v->n == 0;
    if (!many || v->state != VALUE_KNOWN || nested->block->type->has_dynamic || (v->n == 0 && nested->min_items == 0))
        return v;
    size_t n = v->n > 0 ? v->n : 1;
    const struct value **parts = arena_make_n(a, const struct value *, n);
    for (size_t i = 0; i < n; i++) {
        parts[i] = filled_object(a, nested->block, v->n > 0 && v->elements[i]->state == VALUE_KNOWN ? v->elements[i] : NULL);
        if (!parts[i])
            return v;
        changed |= v->n > 0 && !value_raw_eq(parts[i], v->elements[i]);
    }
    if (!changed)
        return v;
    return v->type->kind == TYPE_SET ? value_set(a, v->type->element, parts, n) : value_list(a, v->type->element, parts, n);
}

static bool is_written(const struct schema_attr *attr, const struct value *v, bool all)
{
    bool settable = attr->required || attr->optional;
    return settable && !attr->write_only && (all || attr->required || (!attr->deprecated && !is_empty_text(v)));
}

static const struct value *nested_value(struct arena *a, const struct schema_object *schema, const struct value *v, bool all);

static const struct value *attr_value(struct arena *a, const struct schema_attr *attr, const struct value *v, bool all)
{
    const struct value *filler = attr->write_only && attr->required ? made_up(a, attr->value_type) : NULL;
    if (!is_written(attr, v, all))
        return filler ? filler : value_null(a, v->type);
    return attr->nested ? nested_value(a, attr->nested, v, all) : v;
}

static const struct value *nested_object(struct arena *a, const struct schema_object *schema, const struct value *v, bool all)
{
    if (v->state != VALUE_KNOWN)
        return v;
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++) {
        const struct schema_attr *attr = schema_object_attr(schema, v->type->attrs[i].name);
        parts[i] = attr ? attr_value(a, attr, v->elements[i], all) : v->elements[i];
    }
    return value_with_elements(a, v, parts);
}

static const struct value *nested_value(struct arena *a, const struct schema_object *schema, const struct value *v, bool all)
{
    if (schema->nesting == NESTING_SINGLE || v->state != VALUE_KNOWN)
        return nested_object(a, schema, v, all);
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++)
        parts[i] = nested_object(a, schema, v->elements[i], all);
    return value_with_elements(a, v, parts);
}

static const struct value *block_value(struct arena *a, const struct schema_block *block, const struct value *v, bool all,
                                       bool root);

/* Providers return blocks that were never configured: a required attribute is missing in them. */
static bool lacks_something(const struct schema_block *block, const struct value *v)
{
    for (size_t i = 0; v->state == VALUE_KNOWN && i < block->n_attrs; i++) {
        const struct value *part = block->attrs[i].required ? value_get(v, block->attrs[i].name) : NULL;
        if (part && part->state == VALUE_NULL && !block->attrs[i].write_only)
            return true;
    }
    return false;
}

static bool is_incomplete(const struct schema_nested_block *nested, const struct value *v)
{
    bool single = nested->nesting == NESTING_SINGLE || nested->nesting == NESTING_GROUP;
    for (size_t i = 0; !single && v->state == VALUE_KNOWN && i < v->n; i++)
        if (lacks_something(nested->block, v->elements[i]))
            return true;
    return single && lacks_something(nested->block, v);
}

static const struct value *blocks_value(struct arena *a, const struct schema_nested_block *nested, const struct value *v,
                                        bool all, bool root)
{
    bool timeouts = root && str_eqz(nested->name, "timeouts");
    bool unwritten = !all && nested->min_items == 0 && (nested->block->deprecated || is_incomplete(nested, v));
    if (timeouts || unwritten)
        return schema_empty_nested(a, nested);
    if (v->state != VALUE_KNOWN)
        return v;
    if (nested->nesting == NESTING_SINGLE || nested->nesting == NESTING_GROUP)
        return block_value(a, nested->block, v, all, false);
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++)
        parts[i] = block_value(a, nested->block, v->elements[i], all, false);
    return value_with_elements(a, v, parts);
}

static const struct value *block_value(struct arena *a, const struct schema_block *block, const struct value *v, bool all,
                                       bool root)
{
    if (v->state != VALUE_KNOWN)
        return v;
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++) {
        struct str name = v->type->attrs[i].name;
        const struct schema_attr *attr = schema_block_attr(block, name);
        const struct schema_nested_block *nested = schema_block_block(block, name);
        /* In the old SDK the id counts as settable, but it is never written; nor is an ARN. */
        bool id = root && attr && attr->computed && (str_eqz(name, "id") || str_eqz(name, "arn"));
        if (attr)
            parts[i] =
                id || is_copy(block, attr) ? value_null(a, v->elements[i]->type) : attr_value(a, attr, v->elements[i], all);
        else
            parts[i] = nested ? blocks_value(a, nested, v->elements[i], all, root) : v->elements[i];
    }
    return value_with_elements(a, v, parts);
}

const struct value *import_candidate(struct arena *a, const struct schema_block *schema, const struct value *state, bool all)
{
    return block_value(a, schema, state, all, true);
}

/* --- parts of values --- */

static size_t element_at(const struct value *v, const struct path_step *step)
{
    if (v->state != VALUE_KNOWN)
        return SIZE_MAX;
    if (v->type->kind == TYPE_OBJECT)
        return type_attr_find(v->type, step->name);
    for (size_t i = 0; v->type->kind == TYPE_MAP && i < v->n; i++)
        if (str_eq(v->keys[i], step->name))
            return i;
    bool list = v->type->kind == TYPE_LIST || v->type->kind == TYPE_TUPLE;
    return list && step->kind == PATH_INDEX && step->index >= 0 && (size_t)step->index < v->n ? (size_t)step->index : SIZE_MAX;
}

const struct value *import_with(struct arena *a, const struct value *v, struct path path, const struct value *part)
{
    if (path.n == 0)
        return part;
    size_t at = element_at(v, &path.steps[0]);
    if (at == SIZE_MAX)
        return v;
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    memcpy(parts, v->elements, v->n * sizeof *parts);
    parts[at] = import_with(a, v->elements[at], (struct path){path.steps + 1, path.n - 1}, part);
    return value_with_elements(a, v, parts);
}

struct differences {
    struct arena *arena;
    VEC(struct path) found;
};

static void differ(struct differences *d, const struct trail *trail, const struct value *x, const struct value *y);

static void differ_map(struct differences *d, const struct trail *trail, const struct value *x, const struct value *y)
{
    for (size_t i = 0; i < x->n; i++) {
        struct trail at = trail_element(trail, x, i);
        const struct value *other = value_get(y, x->keys[i]);
        if (other)
            differ(d, &at, x->elements[i], other);
        else
            *VEC_PUSH(d->arena, &d->found) = trail_path(d->arena, PATH_ROOT, &at);
    }
    for (size_t i = 0; i < y->n; i++) {
        struct trail at = trail_element(trail, y, i);
        if (!value_get(x, y->keys[i]))
            *VEC_PUSH(d->arena, &d->found) = trail_path(d->arena, PATH_ROOT, &at);
    }
}

/* Null differs from empty, and the two are compared as a whole, without keys. */
static void differ(struct differences *d, const struct trail *trail, const struct value *x, const struct value *y)
{
    if (value_raw_eq(x, y))
        return;
    bool known = x->state == VALUE_KNOWN && y->state == VALUE_KNOWN;
    bool steps =
        known && x->n == y->n && (x->type->kind == TYPE_OBJECT || x->type->kind == TYPE_LIST) && x->type->kind == y->type->kind;
    if (known && x->type->kind == TYPE_MAP && y->type->kind == TYPE_MAP && x->n > 0 && y->n > 0) {
        differ_map(d, trail, x, y);
        return;
    }
    if (!steps) {
        *VEC_PUSH(d->arena, &d->found) = trail_path(d->arena, PATH_ROOT, trail);
        return;
    }
    for (size_t i = 0; i < x->n; i++) {
        struct trail at = trail_element(trail, x, i);
        differ(d, &at, x->elements[i], y->elements[i]);
    }
}

struct change_paths import_differences(struct arena *a, const struct value *x, const struct value *y)
{
    struct differences d = {.arena = a};
    differ(&d, NULL, x, y);
    return (struct change_paths){d.found.v, d.found.n};
}
