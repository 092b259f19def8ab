/*
 * Write-only attributes: the configuration passes them to the provider, which never returns them. Core rejects a response that
 * contains one, and never stores one.
 */
#include "change/walk_private.h"

struct found_paths {
    struct arena *arena;
    VEC(struct path) paths;
};

static bool note_write_only(void *ctx, const struct trail *at, const struct schema_attr *attr, const struct value *v,
                            bool of_block)
{
    struct found_paths *found = ctx;
    if (attr->write_only && !value_is_null(v))
        *VEC_PUSH(found->arena, &found->paths) = trail_path(found->arena, PATH_ROOT, at);
    return of_block || !attr->write_only;
}

struct change_paths change_write_only(struct arena *a, const struct schema_block *schema, const struct value *v)
{
    struct found_paths found = {.arena = a};
    visit_attrs(schema, v, note_write_only, &found);
    return (struct change_paths){found.paths.v, found.paths.n};
}
