/*
 * Lookups in a final schema, and the value of a block that is not configured.
 */
#include "schema/schema.h"

#include <assert.h>

struct map *provider_schema_fill(struct provider_schema *s, enum schema_section section)
{
    switch (section) {
    case SECTION_RESOURCES:
        return &s->resources;
    case SECTION_DATA_SOURCES:
        return &s->data_sources;
    case SECTION_EPHEMERALS:
        return &s->ephemerals;
    case SECTION_LISTS:
        return &s->lists;
    case SECTION_FUNCTIONS:
        return &s->functions;
    case SECTION_IDENTITIES:
        return &s->identities;
    case SECTION_ACTIONS:
        return &s->actions;
    case SECTION_STATE_STORES:
        return &s->state_stores;
    case SECTION_COUNT:
        break;
    }
    assert(false && "a section");
    return NULL;
}

const struct map *provider_schema_section(const struct provider_schema *s, enum schema_section section)
{
    return provider_schema_fill((struct provider_schema *)s, section);
}

/* Finds one of `n` elements of `size` bytes that begin with their name and are sorted by it. */
static const void *find_named(const void *elements, size_t n, size_t size, struct str name)
{
    size_t low = 0;
    while (low < n) {
        size_t middle = low + (n - low) / 2;
        const void *element = (const char *)elements + middle * size;
        int order = str_cmp(name, *(const struct str *)element);
        if (order == 0)
            return element;
        if (order < 0)
            n = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static_assert(offsetof(struct schema_attr, name) == 0 && offsetof(struct schema_nested_block, name) == 0, "names come first");

const struct schema_attr *schema_block_attr(const struct schema_block *b, struct str name)
{
    return find_named(b->attrs, b->n_attrs, sizeof *b->attrs, name);
}

const struct schema_nested_block *schema_block_block(const struct schema_block *b, struct str name)
{
    return find_named(b->blocks, b->n_blocks, sizeof *b->blocks, name);
}

const struct schema_attr *schema_object_attr(const struct schema_object *o, struct str name)
{
    return find_named(o->attrs, o->n_attrs, sizeof *o->attrs, name);
}

/* Empty values */

static const struct value *empty_list(struct arena *a, const struct type *object)
{
    return object->has_dynamic ? value_tuple(a, NULL, 0) : value_list(a, object, NULL, 0);
}

static const struct value *empty_map(struct arena *a, const struct type *object)
{
    return object->has_dynamic ? value_object(a, type_object(a, NULL, 0), NULL) : value_map(a, object, NULL, NULL, 0);
}

const struct value *schema_empty_nested(struct arena *a, const struct schema_nested_block *b)
{
    switch (b->nesting) {
    case NESTING_INVALID:
    case NESTING_SINGLE:
        return value_null(a, b->value_type);
    case NESTING_GROUP:
        return schema_empty_value(a, b->block);
    case NESTING_LIST:
        return empty_list(a, b->block->type);
    case NESTING_SET:
        return value_set(a, b->block->type, NULL, 0);
    case NESTING_MAP:
        return empty_map(a, b->block->type);
    }
    assert(false && "a nesting mode");
    return NULL;
}

const struct value *schema_empty_value(struct arena *a, const struct schema_block *b)
{
    const struct type *t = b->type;
    const struct value **v = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++) {
        const struct schema_attr *attr = schema_block_attr(b, t->attrs[i].name);
        v[i] = attr ? value_null(a, attr->value_type) : schema_empty_nested(a, schema_block_block(b, t->attrs[i].name));
    }
    return value_object(a, t, v);
}
