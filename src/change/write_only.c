/*
 * Write-only attributes: a configuration carries them to the provider, and nothing comes back. Core refuses an answer that has
 * one, and never stores one.
 */
#include "change/parts.h"

struct found_paths {
    struct arena *arena;
    VEC(struct path) paths;
};

static bool note_write_only(void *ctx, const struct place *place, const struct schema_attr *attr, const struct value *v,
                            bool of_block)
{
    struct found_paths *found = ctx;
    if (attr->write_only && !value_is_null(v))
        *VEC_PUSH(found->arena, &found->paths) = place_path(found->arena, place);
    return of_block || !attr->write_only;
}

struct change_paths change_write_only(struct arena *a, const struct schema_block *schema, const struct value *v)
{
    struct found_paths found = {.arena = a};
    visit_attrs(schema, v, note_write_only, &found);
    return (struct change_paths){found.paths.v, found.paths.n};
}

static const struct value *null_in_nested(struct arena *a, struct scope s, const struct value *v, bool many);

static const struct value *null_in_object(struct arena *a, struct scope s, const struct value *v)
{
    if (!has_content(v))
        return v;
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    bool changed = false;
    for (size_t i = 0; i < v->n; i++) {
        const struct schema_attr *attr = scope_attr(s, element_key(v, i));
        const struct schema_nested_block *block = scope_block(s, element_key(v, i));
        parts[i] = v->elements[i];
        if (attr && attr->write_only)
            parts[i] = value_null(a, attr->value_type);
        else if (attr && attr->nested)
            parts[i] = null_in_nested(a, scope_of_object(attr->nested), parts[i], type_is_collection(attr->value_type));
        else if (block)
            parts[i] = null_in_nested(a, scope_of_block(block->block), parts[i], block_is_many(block));
        changed |= parts[i] != v->elements[i];
    }
    return changed ? with_elements(a, v, parts) : v;
}

/* Of one object, or of each in a collection (or in a tuple or object that stands for one). */
static const struct value *null_in_nested(struct arena *a, struct scope s, const struct value *v, bool many)
{
    if (!many || !has_content(v))
        return null_in_object(a, s, v);
    const struct value **elements = arena_make_n(a, const struct value *, v->n);
    bool changed = false;
    for (size_t i = 0; i < v->n; i++) {
        elements[i] = null_in_object(a, s, v->elements[i]);
        changed |= elements[i] != v->elements[i];
    }
    return changed ? with_elements(a, v, elements) : v;
}

const struct value *change_null_write_only(struct arena *a, const struct schema_block *schema, const struct value *v)
{
    return null_in_object(a, scope_of_block(schema), v);
}
