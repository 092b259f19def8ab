/*
 * The paths of a value that the schema marks sensitive. Set elements have no paths, so a sensitive attribute of an element makes
 * the whole set sensitive; an empty set has no marks. Inside a nested attribute, an attribute that is sensitive as a whole hides
 * the marks inside it; an attribute of a block does not (as in core).
 */
#include "change/walk_private.h"

struct finder {
    struct arena *arena;
    VEC(struct path) paths;
};

static struct path up_to_set(struct path path)
{
    for (size_t i = 0; i < path.n; i++)
        if (path.steps[i].kind == PATH_ELEMENT)
            return (struct path){path.steps, i};
    return path;
}

static bool note_sensitive(void *ctx, const struct trail *at, const struct schema_attr *attr, const struct value *v,
                           bool of_block)
{
    struct finder *f = ctx;
    (void)v;
    if (attr->sensitive)
        *VEC_PUSH(f->arena, &f->paths) = up_to_set(trail_path(f->arena, PATH_ROOT, at));
    return of_block || !attr->sensitive;
}

struct marks change_sensitive(struct arena *a, const struct schema_block *schema, const struct value *v)
{
    struct finder f = {.arena = a};
    visit_attrs(schema, v, note_sensitive, &f);
    return marks_make(a, f.paths.v, f.paths.n);
}
