/*
 * The proposed new object: the configuration, with the prior value of each computed attribute that it does not set.
 *
 * Elements of collections are paired first: lists by position, maps by key. Set elements have neither, so each configured element
 * is paired with the first unused prior element that could have come from it, which means that they differ only in computed
 * attributes that are null in the configuration. The content of an attribute without a nested type is never merged.
 *
 * For a data source the whole prior object is unknown, so its computed attributes are unknown in the result.
 */
#include "change/walk_private.h"

#include <assert.h>

/* One object of a nested attribute or of a nested block. */
struct shape {
    struct scope scope;
    const struct type *type;
    const struct schema_block *block; /* NULL: a nested attribute */
    enum schema_nesting nesting;
};

static struct shape shape_of_attr(const struct schema_attr *attr)
{
    return (struct shape){scope_of_object(attr->nested), nested_object_type(attr), NULL, attr->nested->nesting};
}

static struct shape shape_of_block(const struct schema_nested_block *b)
{
    return (struct shape){scope_of_block(b->block), b->block->type, b->block, b->nesting};
}

/* True when the prior value could have come from this configuration. */

static bool came_from(struct arena *a, struct scope s, const struct value *prior, const struct value *config);

static bool attr_came_from(struct arena *a, const struct schema_attr *attr, const struct value *prior, const struct value *config)
{
    if (attr->nested)
        return came_from(a, scope_of_object(attr->nested), prior, config);
    return value_eq_ignoring_refinements(a, prior, config) ||
           (config->type->kind != TYPE_SET && attr->computed && value_is_null(config));
}

static bool object_came_from(struct arena *a, struct scope s, const struct value *prior, const struct value *config)
{
    if (value_is_null(config))
        return false;
    for (size_t i = 0; i < prior->n; i++) {
        const struct value *part = prior->elements[i];
        struct str name = element_key(prior, i);
        const struct value *from = object_part(a, config, name, part->type);
        const struct schema_attr *attr = scope_attr(s, name);
        bool ok =
            attr ? attr_came_from(a, attr, part, from) : came_from(a, scope_of_block(scope_block(s, name)->block), part, from);
        if (!ok)
            return false;
    }
    return true;
}

static bool elements_came_from(struct arena *a, struct scope s, const struct value *prior, const struct value *config)
{
    for (size_t i = 0; i < prior->n; i++) {
        const struct value *from = !value_is_known(config)         ? value_unknown(a, prior->elements[i]->type)
                                   : prior->type->kind == TYPE_MAP ? value_get(config, prior->keys[i])
                                                                   : element_at(config, i);
        if (!from || !came_from(a, s, prior->elements[i], from))
            return false;
    }
    return true;
}

static bool came_from(struct arena *a, struct scope s, const struct value *prior, const struct value *config)
{
    if (value_eq_ignoring_refinements(a, prior, config))
        return true;
    if (config->type->kind == TYPE_SET)
        return false; /* a set in a set: its elements cannot be paired */
    if (!has_content(prior))
        return true;
    return prior->type->kind == TYPE_OBJECT ? object_came_from(a, s, prior, config) : elements_came_from(a, s, prior, config);
}

/* Finds a value that only a configuration can have set. */

static bool note_configured(void *ctx, const struct trail *at, const struct schema_attr *attr, const struct value *v,
                            bool of_block)
{
    (void)of_block;
    (void)at;
    *(bool *)ctx |= !value_is_null(v) && !attr->computed;
    return attr->computed;
}

static bool was_configured(const struct schema_attr *attr, const struct value *prior)
{
    bool found = false;
    if (attr->optional && attr->nested)
        visit_attrs_inside(attr, prior, note_configured, &found);
    return found;
}

/* The proposal */

static const struct value *propose_object(struct arena *a, struct scope s, const struct type *t, const struct value *prior,
                                          const struct value *config);

static const struct value *propose_element(struct arena *a, const struct shape *shape, const struct value *prior,
                                           const struct value *config)
{
    if (shape->block)
        return value_is_known(prior) ? change_proposed_new(a, shape->block, prior, config)
               : has_content(config) ? propose_object(a, shape->scope, shape->type, prior, config)
                                     : prior;
    return value_is_null(config) ? config : propose_object(a, shape->scope, shape->type, prior, config);
}

static const struct value *propose_list(struct arena *a, const struct shape *shape, const struct value *prior,
                                        const struct value *config)
{
    const struct value **elements = arena_make_n(a, const struct value *, config->n);
    for (size_t i = 0; i < config->n; i++) {
        const struct value *before = value_is_known(prior) ? element_at(prior, i) : value_unknown(a, shape->type);
        elements[i] = before ? propose_element(a, shape, before, config->elements[i]) : config->elements[i];
    }
    return with_elements(a, config, elements);
}

/* A map, or an object in the place of a map. */
static const struct value *propose_map(struct arena *a, const struct shape *shape, const struct value *prior,
                                       const struct value *config)
{
    const struct value **elements = arena_make_n(a, const struct value *, config->n);
    for (size_t i = 0; i < config->n; i++) {
        const struct value *before = value_get(prior, element_key(config, i));
        elements[i] = before ? propose_element(a, shape, before, config->elements[i]) : config->elements[i];
    }
    return with_elements(a, config, elements);
}

static const struct value *take_match(struct arena *a, const struct shape *shape, const struct value *prior, bool *taken,
                                      const struct value *config)
{
    for (size_t i = 0; has_content(prior) && i < prior->n; i++) {
        if (taken[i] || !came_from(a, shape->scope, prior->elements[i], config))
            continue;
        taken[i] = true;
        return prior->elements[i];
    }
    return value_null(a, shape->type);
}

static const struct value *propose_set(struct arena *a, const struct shape *shape, const struct value *prior,
                                       const struct value *config)
{
    const struct value **elements = arena_make_n(a, const struct value *, config->n);
    bool *taken = arena_make_n(a, bool, has_content(prior) ? prior->n : 0);
    for (size_t i = 0; i < config->n; i++) {
        const struct value *before = take_match(a, shape, prior, taken, config->elements[i]);
        elements[i] = propose_element(a, shape, before, config->elements[i]);
    }
    return with_elements(a, config, elements);
}

static const struct value *propose_nested(struct arena *a, const struct shape *shape, const struct value *prior,
                                          const struct value *config)
{
    if (!value_is_known(config) || (value_is_null(config) && shape->nesting != NESTING_GROUP))
        return config;
    switch (shape->nesting) {
    case NESTING_INVALID:
    case NESTING_SINGLE:
    case NESTING_GROUP:
        return propose_element(a, shape, prior, config);
    case NESTING_LIST:
        return propose_list(a, shape, prior, config);
    case NESTING_SET:
        return propose_set(a, shape, prior, config);
    case NESTING_MAP:
        return propose_map(a, shape, prior, config);
    }
    assert(false && "a nesting mode");
    return config;
}

static const struct value *propose_attr(struct arena *a, const struct schema_attr *attr, const struct value *prior,
                                        const struct value *config)
{
    if (attr->computed && value_is_null(config))
        return was_configured(attr, prior) ? config : prior;
    if (!attr->nested)
        return config;
    struct shape shape = shape_of_attr(attr);
    return propose_nested(a, &shape, prior, config);
}

static const struct value *propose_object(struct arena *a, struct scope s, const struct type *t, const struct value *prior,
                                          const struct value *config)
{
    const struct value **parts = arena_make_n(a, const struct value *, t->n);
    for (size_t i = 0; i < t->n; i++) {
        struct str name = t->attrs[i].name;
        const struct value *before = object_part(a, prior, name, t->attrs[i].type);
        const struct value *wanted = object_part(a, config, name, t->attrs[i].type);
        const struct schema_attr *attr = scope_attr(s, name);
        if (attr) {
            parts[i] = propose_attr(a, attr, before, wanted);
        } else {
            struct shape shape = shape_of_block(scope_block(s, name));
            parts[i] = propose_nested(a, &shape, before, wanted);
        }
    }
    return value_object(a, t, parts);
}

const struct value *change_proposed_new(struct arena *a, const struct schema_block *schema, const struct value *prior,
                                        const struct value *config)
{
    if (value_is_null(prior) && value_is_null(config))
        return prior;
    if (value_is_null(prior))
        prior = schema_empty_value(a, schema);
    return has_content(config) ? propose_object(a, scope_of_block(schema), schema->type, prior, config) : prior;
}
