/*
 * The legacy SDK may return null or unknown for blocks where core expects a collection: null becomes an empty one, unknown
 * becomes one block with every attribute unknown. Attributes stay unchanged, and so do blocks that contain a dynamic type, which
 * that SDK never creates.
 */
#include "change/walk_private.h"

#include <assert.h>

static const struct value *unknown_block(struct arena *a, const struct schema_block *schema);

static const struct value *unknown_blocks(struct arena *a, const struct schema_nested_block *b)
{
    if (b->nesting == NESTING_MAP || b->value_type->kind == TYPE_DYNAMIC)
        return schema_empty_nested(a, b); /* the number and the keys are unknown */
    const struct value *one = unknown_block(a, b->block);
    if (b->nesting == NESTING_LIST)
        return value_list(a, b->block->type, &one, 1);
    if (b->nesting == NESTING_SET)
        return value_set(a, b->block->type, &one, 1);
    return one;
}

static const struct value *unknown_block(struct arena *a, const struct schema_block *schema)
{
    const struct type *t = schema->type;
    const struct value **parts = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct schema_nested_block *b = schema_block_block(schema, t->attrs[i].name);
        parts[i] = b ? unknown_blocks(a, b) : value_unknown(a, t->attrs[i].type);
    }
    return value_object(a, t, parts);
}

static const struct value *normalise_nested(struct arena *a, const struct schema_nested_block *b, const struct value *v)
{
    bool many = b->nesting == NESTING_LIST || b->nesting == NESTING_SET;
    if (b->nesting == NESTING_MAP || b->block->type->has_dynamic)
        return v;
    if (!value_is_known(v))
        return unknown_blocks(a, b);
    if (value_is_null(v))
        return schema_empty_nested(a, b);
    if (!many)
        return change_normalise_legacy(a, b->block, v);
    const struct value **elements = arena_make_n(a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++)
        elements[i] = change_normalise_legacy(a, b->block, v->elements[i]);
    return with_elements(a, v, elements);
}

const struct value *change_normalise_legacy(struct arena *a, const struct schema_block *schema, const struct value *v)
{
    if (value_is_null(v) || (has_content(v) && schema->n_blocks == 0))
        return v;
    const struct type *t = schema->type;
    const struct value **parts = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct schema_nested_block *b = schema_block_block(schema, t->attrs[i].name);
        const struct value *part = object_part(a, v, t->attrs[i].name, t->attrs[i].type);
        parts[i] = b ? normalise_nested(a, b, part) : part;
    }
    return value_object(a, t, parts);
}
