#include "conversion/renames.h"

#include "managed/edit.h"

/*
 * Removes the value at the path, and containers that become empty; goes through lists of one element. NULL: nothing is left. The
 * recursion is as deep as the path.
 */
static const struct json *take(struct arena *a, const struct json *j, struct str path, const struct json **taken)
{
    if (managed_is_array(j) && j->array.n == 1) {
        const struct json *item = take(a, j->array.items[0], path, taken);
        return !*taken ? j : item ? json_make_array(a, &item, 1) : NULL;
    }
    struct str name = str_cut(&path, '.');
    const struct json *value = managed_is_object(j) ? json_get_str(j, name) : NULL, *rest = NULL;
    if (!value)
        return j;
    if (path.n == 0)
        *taken = value;
    else
        rest = take(a, value, path, taken);
    if (!*taken)
        return j;
    j = json_with(a, j, name, rest);
    return managed_count(j) > 0 ? j : NULL;
}

static const struct xp_shape *shape_of(struct xp_fields fields, struct str name)
{
    for (size_t i = 0; i < fields.n; i++)
        if (str_eq(fields.v[i].json, name))
            return fields.v[i].shape;
    return NULL;
}

/* Puts the value at the path. NULL: something is already there, or in the way. */
static const struct json *put(struct arena *a, struct xp_fields fields, const struct json *j, struct str path,
                              const struct json *value)
{
    if (!j)
        j = json_make_object(a, NULL, 0);
    if (j->kind == JSON_ARRAY && j->array.n == 1) {
        const struct json *item = put(a, fields, j->array.items[0], path, value);
        return item ? json_make_array(a, &item, 1) : NULL;
    }
    if (j->kind != JSON_OBJECT)
        return NULL;
    struct str name = str_cut(&path, '.');
    const struct json *there = json_get_str(j, name);
    if (path.n == 0)
        return there ? NULL : json_with(a, j, name, value);
    const struct xp_shape *shape = shape_of(fields, name);
    const struct json *now = put(a, shape ? shape->fields : (struct xp_fields){0}, there, path, value);
    if (now && !there && !shape)
        now = json_make_array(a, &now, 1);
    return now ? json_with(a, j, name, now) : NULL;
}

/* Moves the value from one path to another; returns the same tree if there is no value, or no room for it. */
static const struct json *move(struct arena *a, struct xp_fields fields, const struct json *tree, struct str from, struct str to)
{
    const struct json *value = NULL, *rest = take(a, tree, from, &value);
    const struct json *now = value ? put(a, fields, rest, to, value) : NULL;
    return now ? now : tree;
}

static const struct {
    const char *part;
    enum xp_tree_name tree;
} trees[] = {{"spec", FOR_PROVIDER}, {"spec", INIT_PROVIDER}, {"status", AT_PROVIDER}};
enum { N_PLACES = sizeof trees / sizeof *trees };

static struct str place(struct arena *a, size_t i, struct str path)
{
    return arena_printf(a, "%s.%s." STR_FMT, trees[i].part, xp_tree_names[trees[i].tree], STR_ARG(path));
}

const struct json *renames_to_newest(struct arena *a, const struct xp_kind *model, const struct json *object,
                                     struct conversion_keep *keep)
{
    for (size_t i = 0; i < N_PLACES * model->config.n_renamed; i++) {
        const struct xp_renamed_field *f = &model->config.renamed[i / N_PLACES];
        const char *part = trees[i % N_PLACES].part, *name = xp_tree_names[trees[i % N_PLACES].tree];
        const struct json *tree = managed_at(object, part, name, NULL);
        const struct json *now = tree ? move(a, model->trees[trees[i % N_PLACES].tree], tree, f->old, f->new) : NULL;
        if (now == tree)
            continue;
        object = managed_put(a, object, now, part, name, NULL);
        if (keep)
            *VEC_PUSH(a, &keep->list) =
                (struct json_member){.key = place(a, i % N_PLACES, f->old), .value = json_make_bool(a, true)};
    }
    return object;
}

const struct json *renames_to_older(struct arena *a, const struct xp_kind *model, const struct json *object,
                                    const struct json *kept)
{
    for (size_t i = 0; kept && i < N_PLACES * model->config.n_renamed; i++) {
        const struct xp_renamed_field *f = &model->config.renamed[i / N_PLACES];
        const char *part = trees[i % N_PLACES].part, *name = xp_tree_names[trees[i % N_PLACES].tree];
        const struct json *tree = managed_at(object, part, name, NULL);
        if (tree && json_get_str(kept, place(a, i % N_PLACES, f->old)))
            object =
                managed_put(a, object, move(a, model->trees[trees[i % N_PLACES].tree], tree, f->new, f->old), part, name, NULL);
    }
    return object;
}
