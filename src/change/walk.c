#include "change/walk_private.h"

#include <assert.h>

bool name_is_near(struct str typed, struct str name)
{
    enum { MAX_EDITS = 2 };
    return str_distance(typed, name) <= MAX_EDITS;
}

struct scope scope_of_block(const struct schema_block *b)
{
    return (struct scope){b->attrs, b->n_attrs, b->blocks, b->n_blocks};
}

struct scope scope_of_object(const struct schema_object *o)
{
    return (struct scope){.attrs = o->attrs, .n_attrs = o->n_attrs};
}

const struct schema_attr *scope_attr(struct scope s, struct str name)
{
    return schema_block_attr(&(struct schema_block){.attrs = s.attrs, .n_attrs = s.n_attrs}, name);
}

const struct schema_nested_block *scope_block(struct scope s, struct str name)
{
    return schema_block_block(&(struct schema_block){.blocks = s.blocks, .n_blocks = s.n_blocks}, name);
}

bool block_is_many(const struct schema_nested_block *b)
{
    return b->nesting == NESTING_LIST || b->nesting == NESTING_SET || b->nesting == NESTING_MAP;
}

const struct type *nested_object_type(const struct schema_attr *attr)
{
    return type_is_collection(attr->value_type) ? attr->value_type->element : attr->value_type;
}

bool has_content(const struct value *v)
{
    return v->state == VALUE_KNOWN;
}

const struct value *object_part(struct arena *a, const struct value *object, struct str name, const struct type *t)
{
    if (object->state == VALUE_NULL)
        return value_null(a, t);
    if (object->state == VALUE_UNKNOWN)
        return value_unknown(a, t);
    const struct value *part = value_get(object, name);
    assert(part);
    return part;
}

struct str element_key(const struct value *v, size_t i)
{
    return v->type->kind == TYPE_MAP ? v->keys[i] : v->type->attrs[i].name;
}

const struct value *element_at(const struct value *v, size_t i)
{
    return has_content(v) && i < v->n ? v->elements[i] : NULL;
}

const struct value *with_elements(struct arena *a, const struct value *v, const struct value *const *elements)
{
    if (type_is_collection(v->type) && !value_have_one_type(elements, v->n))
        return v;
    return value_with_elements(a, v, elements);
}

struct visit {
    visit_attr_fn *fn;
    void *ctx;
};

static void visit_block(struct visit *visit, const struct schema_block *b, const struct value *v, const struct trail *at);

static void visit_nested_attr(struct visit *visit, const struct schema_attr *attr, const struct value *v, const struct trail *at);

static void visit_scope_attrs(struct visit *visit, struct scope s, const struct value *object, const struct trail *at,
                              bool of_block)
{
    for (size_t i = 0; i < s.n_attrs; i++) {
        const struct schema_attr *attr = &s.attrs[i];
        const struct value *v = value_get(object, attr->name);
        struct trail inner = trail_attr(at, attr->name);
        if (visit->fn(visit->ctx, &inner, attr, v, of_block) && attr->nested)
            visit_nested_attr(visit, attr, v, &inner);
    }
}

static void visit_nested_attr(struct visit *visit, const struct schema_attr *attr, const struct value *v, const struct trail *at)
{
    if (!has_content(v))
        return;
    struct scope s = scope_of_object(attr->nested);
    if (v->type->kind == TYPE_OBJECT) {
        visit_scope_attrs(visit, s, v, at, false);
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        struct trail inner = trail_element(at, v, i);
        if (has_content(v->elements[i]))
            visit_scope_attrs(visit, s, v->elements[i], &inner, false);
    }
}

static void visit_nested_block(struct visit *visit, const struct schema_nested_block *b, const struct value *v,
                               const struct trail *at)
{
    if (!has_content(v))
        return;
    if (!block_is_many(b)) {
        visit_block(visit, b->block, v, at);
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        struct trail inner = trail_element(at, v, i);
        if (has_content(v->elements[i]))
            visit_block(visit, b->block, v->elements[i], &inner);
    }
}

static void visit_block(struct visit *visit, const struct schema_block *b, const struct value *v, const struct trail *at)
{
    visit_scope_attrs(visit, scope_of_block(b), v, at, true);
    for (size_t i = 0; i < b->n_blocks; i++) {
        struct trail inner = trail_attr(at, b->blocks[i].name);
        visit_nested_block(visit, &b->blocks[i], value_get(v, b->blocks[i].name), &inner);
    }
}

void visit_attrs(const struct schema_block *schema, const struct value *v, visit_attr_fn *fn, void *ctx)
{
    if (has_content(v))
        visit_block(&(struct visit){fn, ctx}, schema, v, NULL);
}

void visit_attrs_inside(const struct schema_attr *nested, const struct value *v, visit_attr_fn *fn, void *ctx)
{
    visit_nested_attr(&(struct visit){fn, ctx}, nested, v, NULL);
}

const struct schema_attr *attr_by_path(const struct schema_block *schema, struct path path)
{
    struct scope s = scope_of_block(schema);
    const struct schema_attr *attr = NULL;
    for (size_t i = 0; i < path.n; i++) {
        if (path.steps[i].kind != PATH_ATTR) {
            if (attr && !attr->nested)
                return NULL; /* inside a value without a schema of its own */
            if (attr && i + 1 == path.n)
                return NULL; /* an element, not an attribute */
            continue;
        }
        if (attr && !attr->nested)
            return NULL;
        if (attr)
            s = scope_of_object(attr->nested);
        attr = scope_attr(s, path.steps[i].name);
        const struct schema_nested_block *block = attr ? NULL : scope_block(s, path.steps[i].name);
        if (!attr && !block)
            return NULL;
        if (block)
            s = scope_of_block(block->block);
    }
    return attr;
}

/* Position of the first `what` in the text, or SIZE_MAX. */
static size_t find_text(struct str text, struct str what)
{
    for (size_t i = 0; i + what.n <= text.n; i++)
        if (memcmp(text.p + i, what.p, what.n) == 0)
            return i;
    return SIZE_MAX;
}

struct str plain_mismatch(struct arena *a, struct str text)
{
    struct str open = STR(" of dynamic");
    size_t end = find_text(text, STR(" required, but have "));
    if (end == SIZE_MAX)
        return text;
    struct str wanted = str_slice(text, 0, end);
    if (str_ends(wanted, open))
        return arena_printf(a, STR_FMT " of any single type required", STR_ARG(str_slice(wanted, 0, wanted.n - open.n)));
    return arena_printf(a, STR_FMT " required", STR_ARG(wanted));
}

static bool note_secret(void *ctx, const struct trail *at, const struct schema_attr *attr, const struct value *v, bool of_block)
{
    (void)of_block;
    (void)at;
    (void)v;
    *(bool *)ctx |= attr->sensitive;
    return true;
}

bool has_secret(const struct schema_attr *attr, const struct value *v)
{
    bool found = attr->sensitive;
    if (attr->nested && !found)
        visit_attrs_inside(attr, v, note_secret, &found);
    return found;
}
