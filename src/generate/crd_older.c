#include "generate/crd_private.h"

#include <stdlib.h>

static const struct xp_field *field_of(struct xp_fields fields, struct str name)
{
    for (size_t i = 0; i < fields.n; i++)
        if (str_eq(fields.v[i].json, name))
            return &fields.v[i];
    return NULL;
}

/* The field at a path as in manifests; NULL: the tree has none, as when it is an input and the tree that of outputs. */
static const struct xp_field *field_at(struct xp_fields fields, struct str path)
{
    const struct xp_field *f = field_of(fields, str_cut(&path, '.'));
    if (path.n == 0 || !f)
        return f;
    return f->shape->kind == SHAPE_OBJECT ? field_at(f->shape->fields, path) : NULL;
}

static int by_name(const void *x, const void *y)
{
    return str_cmp(((const struct xp_field *)x)->json, ((const struct xp_field *)y)->json);
}

/* With this field, in the place of one of its name. */
static struct xp_fields with_field(struct arena *a, struct xp_fields fields, const struct xp_field *field)
{
    struct xp_field *v = arena_make_n(a, struct xp_field, fields.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < fields.n; i++)
        if (!str_eq(fields.v[i].json, field->json))
            v[n++] = fields.v[i];
    v[n++] = *field;
    qsort(v, n, sizeof *v, by_name);
    return (struct xp_fields){v, n};
}

/*
 * An object on the way that does not exist any more was a block that may occur once; where the name is now that of a text or a
 * number, older objects may have either. The recursion is as deep as the path.
 */
static struct xp_fields with_name(struct arena *a, struct xp_fields fields, struct str path, const struct xp_shape *shape)
{
    struct xp_field field = {.json = str_cut(&path, '.'), .role = FIELD_ADDED, .shape = shape};
    const struct xp_field *there = field_of(fields, field.json);
    if (path.n == 0)
        return there ? fields : with_field(a, fields, &field);
    if (there && there->shape->kind != SHAPE_OBJECT) {
        static const struct xp_shape anything = {.kind = SHAPE_ANY};
        field = *there;
        field.shape = &anything;
        return with_field(a, fields, &field);
    }
    struct xp_shape *object = arena_make(a, struct xp_shape);
    *object = there ? *there->shape : (struct xp_shape){.kind = SHAPE_OBJECT, .singleton = true};
    object->fields = with_name(a, object->fields, path, shape);
    if (there)
        field = *there;
    field.shape = object;
    return with_field(a, fields, &field);
}

struct xp_kind crd_older_kind(struct arena *a, const struct xp_kind *k)
{
    struct xp_kind older = *k;
    for (size_t i = 0; i < k->config.n_renamed; i++)
        for (int t = 0; t < N_TREES; t++) {
            const struct xp_field *now = field_at(k->trees[t], k->config.renamed[i].new);
            if (now)
                older.trees[t] = with_name(a, older.trees[t], k->config.renamed[i].old, now->shape);
        }
    return older;
}
