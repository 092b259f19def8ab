/*
 * ignore_changes: the configuration as if the user had not changed certain places.
 *
 * A path that ends in a map key affects only that key: it gets its prior element, or is removed when there was none. Any other
 * path gets its prior value as a whole. A path that does not exist in both objects, or is inside an unknown, cannot be ignored.
 */
#include "change/walk_private.h"

/* Position of the element that a step leads to, or SIZE_MAX. Steps are strict here: names are for objects only, keys for maps
 * only. */
static size_t find(const struct value *v, const struct path_step *step)
{
    enum type_kind kind = v->type->kind;
    bool named = (kind == TYPE_OBJECT && step->kind == PATH_ATTR) || (kind == TYPE_MAP && step->kind == PATH_KEY);
    bool indexed = (kind == TYPE_LIST || kind == TYPE_TUPLE) && step->kind == PATH_INDEX;
    for (size_t i = 0; has_content(v) && named && i < v->n; i++)
        if (str_eq(element_key(v, i), step->name))
            return i;
    return has_content(v) && indexed && step->index >= 0 && (uint64_t)step->index < v->n ? (size_t)step->index : SIZE_MAX;
}

static const struct value *at_path(const struct value *v, struct path path)
{
    for (size_t i = 0; i < path.n && v; i++) {
        size_t at = find(v, &path.steps[i]);
        v = at == SIZE_MAX ? NULL : v->elements[at];
    }
    return v;
}

/* The value with another value at the path, which must exist. */
static const struct value *put(struct arena *a, const struct value *v, struct path path, const struct value *what)
{
    if (path.n == 0)
        return what;
    size_t at = find(v, &path.steps[0]);
    const struct value **elements = arena_make_n(a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++)
        elements[i] = v->elements[i];
    elements[at] = put(a, elements[at], (struct path){path.steps + 1, path.n - 1}, what);
    return with_elements(a, v, elements);
}

/* The map with the prior element of one key. */
static const struct value *restore_key(struct arena *a, const struct value *config, const struct value *prior, struct str key)
{
    const struct value *before = value_get(prior, key);
    size_t n = has_content(config) ? config->n : 0, kept = 0;
    struct str *keys = arena_make_n(a, struct str, n + 1);
    const struct value **elements = arena_make_n(a, const struct value *, n + 1);
    for (size_t i = 0; i < n; i++) {
        if (str_eq(config->keys[i], key))
            continue;
        keys[kept] = config->keys[i];
        elements[kept++] = config->elements[i];
    }
    if (before) {
        keys[kept] = key;
        elements[kept++] = before;
    }
    if (kept == 0 && value_is_null(config))
        return config;
    return value_have_one_type(elements, kept) ? value_map(a, config->type->element, keys, elements, kept) : config;
}

static const struct value *ignore_path(struct arena *a, const struct value *prior, const struct value *config, struct path path)
{
    const struct path_step *key = path.n > 0 && path.steps[path.n - 1].kind == PATH_KEY ? &path.steps[path.n - 1] : NULL;
    if (key)
        path.n--;
    const struct value *was = at_path(prior, path), *is = at_path(config, path);
    if (!was || !is || value_raw_eq(was, is))
        return config;
    bool map = is->type->kind == TYPE_MAP;
    if (map && !value_is_known(is))
        return config;
    return put(a, config, path, map && key ? restore_key(a, is, was, key->name) : was);
}

/* The prior object as a configuration: without values that only the provider sets. */

static const struct value *without_computed(struct arena *a, struct scope s, const struct value *v);

static const struct value *each_without_computed(struct arena *a, struct scope s, const struct value *v)
{
    if (!has_content(v) || v->type->kind == TYPE_OBJECT)
        return without_computed(a, s, v);
    const struct value **elements = arena_make_n(a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++)
        elements[i] = without_computed(a, s, v->elements[i]);
    return with_elements(a, v, elements);
}

static const struct value *without_computed(struct arena *a, struct scope s, const struct value *v)
{
    if (!has_content(v))
        return v;
    const struct value **parts = arena_make_n(a, const struct value *, v->n);
    for (size_t i = 0; i < v->n; i++) {
        const struct schema_attr *attr = scope_attr(s, element_key(v, i));
        const struct schema_nested_block *block = scope_block(s, element_key(v, i));
        const struct value *part = v->elements[i];
        bool map_of_blocks = block && block->nesting == NESTING_MAP && part->type->kind == TYPE_OBJECT;
        if (attr && attr->computed && !attr->optional)
            part = value_null(a, part->type);
        else if (attr && attr->nested)
            part = each_without_computed(a, scope_of_object(attr->nested), part);
        else if (block && !map_of_blocks) /* core does not change such a map */
            part = each_without_computed(a, scope_of_block(block->block), part);
        parts[i] = part;
    }
    return with_elements(a, v, parts);
}

const struct value *change_ignore(struct arena *a, const struct schema_block *schema, const struct value *prior,
                                  const struct value *config, struct change_paths paths, bool all)
{
    if (value_is_null(prior))
        return config;
    if (all)
        return schema ? without_computed(a, scope_of_block(schema), prior) : prior;
    for (size_t i = 0; i < paths.n && has_content(config); i++)
        config = ignore_path(a, prior, config, paths.v[i]);
    return config;
}
