/*
 * Walking over values: paths, visiting, rebuilding, copying. A part that does not change is shared, not copied.
 */
#include "value/value_private.h"

static bool has_elements(const struct value *v)
{
    return v->state == VALUE_KNOWN && !type_is_primitive(v->type) && v->type->kind != TYPE_DYNAMIC;
}

struct path_step value_step(const struct value *v, size_t i)
{
    switch (v->type->kind) {
    case TYPE_OBJECT:
        return (struct path_step){.kind = PATH_ATTR, .name = v->type->attrs[i].name};
    case TYPE_MAP:
        return (struct path_step){.kind = PATH_KEY, .name = v->keys[i]};
    case TYPE_SET:
        return (struct path_step){.kind = PATH_ELEMENT, .name = STR_EMPTY, .element = v->elements[i]};
    default:
        return (struct path_step){.kind = PATH_INDEX, .name = STR_EMPTY, .index = (int64_t)i};
    }
}

static struct path extend(struct arena *a, struct path parent, struct path_step step)
{
    switch (step.kind) {
    case PATH_ATTR:
        return path_attr(a, parent, step.name);
    case PATH_KEY:
        return path_key(a, parent, step.name);
    case PATH_INDEX:
        return path_index(a, parent, step.index);
    case PATH_ELEMENT:
        return path_element(a, parent, step.element);
    }
    return parent;
}

struct path trail_path(struct arena *a, struct path at, const struct trail *trail)
{
    size_t n = 0;
    for (const struct trail *t = trail; t; t = t->up)
        n++;
    struct path_step *steps = arena_make_n(a, struct path_step, at.n + n);
    for (size_t i = 0; i < at.n; i++)
        steps[i] = at.steps[i];
    size_t i = at.n + n;
    for (const struct trail *t = trail; t; t = t->up)
        steps[--i] = t->step;
    return (struct path){steps, at.n + n};
}

const void *value_fail(struct diags *diags, struct path path, const char *summary, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str message = arena_vprintf(diags->arena, format, args);
    va_end(args);
    if (path.n > 0) {
        struct str where = path_text(diags->arena, path);
        (void)diags_fail_at(diags, path, summary, STR_FMT ": " STR_FMT, STR_ARG(where), STR_ARG(message));
    } else {
        (void)diags_fail(diags, summary, STR_FMT, STR_ARG(message));
    }
    return NULL;
}

static const struct value *take_step(const struct value *v, const struct path_step *step)
{
    switch (step->kind) {
    case PATH_ATTR:
    case PATH_KEY:
        return value_get(v, step->name);
    case PATH_INDEX:
        if (v->type->kind != TYPE_LIST && v->type->kind != TYPE_TUPLE)
            return NULL;
        return step->index >= 0 && (uint64_t)step->index < v->n ? v->elements[step->index] : NULL;
    case PATH_ELEMENT:
        if (v->type->kind != TYPE_SET)
            return NULL;
        for (size_t i = 0; i < v->n; i++)
            if (v->elements[i] == step->element || value_raw_eq(v->elements[i], step->element))
                return v->elements[i];
        return NULL;
    }
    return NULL;
}

const struct value *value_at(const struct value *v, struct path path)
{
    for (size_t i = 0; i < path.n && v; i++)
        v = v->state == VALUE_KNOWN ? take_step(v, &path.steps[i]) : NULL;
    return v;
}

static const struct value *transform(struct arena *a, struct path path, const struct value *v, value_transform_fn *fn, void *ctx)
{
    if (has_elements(v) && v->n > 0) {
        const struct value **elements = arena_make_n(a, const struct value *, v->n);
        bool changed = false;
        for (size_t i = 0; i < v->n; i++) {
            elements[i] = transform(a, extend(a, path, value_step(v, i)), v->elements[i], fn, ctx);
            changed |= elements[i] != v->elements[i];
        }
        if (changed)
            v = value_with_elements(a, v, elements);
    }
    return fn(ctx, a, path, v);
}

const struct value *value_transform(struct arena *a, const struct value *v, value_transform_fn *fn, void *ctx)
{
    return transform(a, PATH_ROOT, v, fn, ctx);
}

static void walk(struct arena *a, struct path path, const struct value *v, value_walk_fn *fn, void *ctx)
{
    if (!fn(ctx, path, v) || !has_elements(v))
        return;
    for (size_t i = 0; i < v->n; i++)
        walk(a, extend(a, path, value_step(v, i)), v->elements[i], fn, ctx);
}

void value_walk(struct arena *a, const struct value *v, value_walk_fn *fn, void *ctx)
{
    walk(a, PATH_ROOT, v, fn, ctx);
}

typedef const struct value *replace_fn(struct arena *a, const struct value *unknown);

static const struct value *replace_unknowns(struct arena *a, const struct value *v, replace_fn *replace)
{
    if (v->wholly_known)
        return v;
    if (v->state == VALUE_UNKNOWN)
        return replace(a, v);
    const struct value **elements = arena_make_n(a, const struct value *, v->n);
    bool changed = false;
    for (size_t i = 0; i < v->n; i++) {
        elements[i] = replace_unknowns(a, v->elements[i], replace);
        changed |= elements[i] != v->elements[i];
    }
    return changed ? value_with_elements(a, v, elements) : v;
}

static const struct value *null_instead(struct arena *a, const struct value *unknown)
{
    return value_null(a, unknown->type);
}

static const struct value *plain_instead(struct arena *a, const struct value *unknown)
{
    return unknown->refinement ? value_unknown(a, unknown->type) : unknown;
}

const struct value *value_unknown_to_null(struct arena *a, const struct value *v)
{
    return replace_unknowns(a, v, null_instead);
}

const struct value *value_plain_unknowns(struct arena *a, const struct value *v)
{
    return replace_unknowns(a, v, plain_instead);
}

static const struct type *type_of_part(const struct type *t, size_t i)
{
    return t->kind == TYPE_OBJECT ? t->attrs[i].type : t->kind == TYPE_TUPLE ? t->elements[i] : t->element;
}

static const struct value_refinement *copy_refinement(struct arena *a, const struct value_refinement *r)
{
    if (!r)
        return NULL;
    struct value_refinement *copy = arena_make(a, struct value_refinement);
    *copy = *r;
    copy->prefix = arena_str(a, r->prefix);
    copy->min = number_copy(a, r->min);
    copy->max = number_copy(a, r->max);
    return copy;
}

/* `t` is v's type in the new arena; it contains the types of the parts. */
static const struct value *copy(struct arena *a, const struct value *v, const struct type *t)
{
    struct value *c = arena_make(a, struct value);
    *c = *v;
    c->type = t;
    if (v->state == VALUE_UNKNOWN) {
        c->refinement = copy_refinement(a, v->refinement);
    } else if (v->state == VALUE_KNOWN && t->kind == TYPE_STRING) {
        c->string = arena_str(a, v->string);
    } else if (v->state == VALUE_KNOWN && t->kind == TYPE_NUMBER) {
        c->number = number_copy(a, v->number);
    } else if (has_elements(v)) {
        const struct value **elements = arena_make_n(a, const struct value *, v->n);
        for (size_t i = 0; i < v->n; i++)
            elements[i] = copy(a, v->elements[i], type_of_part(t, i));
        struct str *keys = t->kind == TYPE_MAP ? arena_make_n(a, struct str, v->n) : NULL;
        for (size_t i = 0; keys && i < v->n; i++)
            keys[i] = arena_str(a, v->keys[i]);
        c->elements = elements;
        c->keys = keys;
    }
    return c;
}

const struct value *value_copy(struct arena *a, const struct value *v)
{
    return copy(a, v, type_copy(a, v->type));
}
