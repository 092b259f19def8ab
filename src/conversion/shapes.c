#include "conversion/shapes.h"

#include "conversion/renames.h"
#include "crossplane/versions.h"
#include "managed/edit.h"

/* ---- paths: written as text only when something is kept ---- */

struct place {
    const struct place *up;
    struct str key; /* empty: a list element */
    size_t index;
};

static void write_place(struct buf *out, const struct place *p)
{
    if (p->up)
        write_place(out, p->up); /* the recursion is limited by the JSON parser */
    if (p->key.n == 0)
        buf_printf(out, "[%zu]", p->index);
    else
        buf_printf(out, "%s" STR_FMT, p->up ? "." : "", STR_ARG(p->key));
}

static struct str place_text(struct arena *a, const struct place *p)
{
    struct buf text BUF_AUTO = BUF_INIT(CONVERSION_MAX_KEPT);
    write_place(&text, p);
    return arena_str(a, buf_str(&text));
}

/* ---- shapes ---- */

struct walk {
    struct arena *arena;
    bool to_lists, quiet; /* quiet: nothing is kept, what does not fit is dropped */
    enum conversion_misfits misfits;
    const struct json *kept; /* only with to_lists: what was kept; NULL: nothing */
    struct conversion_keep keep;
};

static const struct json *walk_fields(struct walk *w, struct xp_fields fields, const struct json *object, const struct place *at);
static const struct json *walk_shape(struct walk *w, const struct xp_shape *shape, const struct json *j, const struct place *at);

static void keep(struct walk *w, const struct place *at, const struct json *list)
{
    if (w->misfits == MISFITS_KEPT && !w->quiet)
        *VEC_PUSH(w->arena, &w->keep.list) = (struct json_member){.key = place_text(w->arena, at), .value = list};
}

/* Converts the first element of a list; the others are kept, or lost. */
static const struct json *first_of(struct walk *w, const struct xp_shape *shape, const struct json *list, const struct place *at)
{
    bool quiet = w->quiet;
    w->quiet = true; /* nested lists are kept with the whole list */
    const struct json *first = walk_fields(w, shape->fields, list->array.items[0], at);
    w->quiet = quiet;
    return first;
}

/* NULL: the list was empty. */
static const struct json *to_element(struct walk *w, const struct xp_shape *shape, const struct json *j, const struct place *at)
{
    if (!managed_is_array(j))
        return walk_fields(w, shape->fields, j, at);
    if (j->array.n == 1)
        return walk_fields(w, shape->fields, j->array.items[0], at);
    if (j->array.n > 1 && w->misfits == MISFITS_STAY)
        return j;
    keep(w, at, j);
    return j->array.n == 0 ? NULL : first_of(w, shape, j, at);
}

static const struct json *kept_at(struct walk *w, const struct place *at)
{
    return w->kept ? json_get_str(w->kept, place_text(w->arena, at)) : NULL;
}

/* Is the element still what the list was converted to? */
static bool is_first_of(struct walk *w, const struct xp_shape *shape, const struct json *list, const struct json *j)
{
    struct walk back = {.arena = w->arena, .quiet = true, .misfits = MISFITS_KEPT};
    return managed_is_array(list) && list->array.n > 1 && json_eq(first_of(&back, shape, list, NULL), j);
}

static const struct json *to_list(struct walk *w, const struct xp_shape *shape, const struct json *j, const struct place *at)
{
    if (!managed_is_object(j))
        return j;
    const struct json *list = kept_at(w, at);
    if (list && is_first_of(w, shape, list, j))
        return list;
    const struct json *item = walk_fields(w, shape->fields, j, at);
    return json_make_array(w->arena, &item, 1);
}

static const struct json *walk_list(struct walk *w, const struct xp_shape *shape, const struct json *j, const struct place *up)
{
    const struct json **items = arena_make_n(w->arena, const struct json *, j->array.n);
    bool same = true;
    for (size_t i = 0; i < j->array.n; i++) {
        struct place at = {.up = up, .index = i};
        const struct json *item = walk_shape(w, shape->element, j->array.items[i], &at);
        items[i] = item ? item : j->array.items[i];
        same &= items[i] == j->array.items[i];
    }
    return same ? j : json_make_array(w->arena, items, j->array.n);
}

static const struct json *walk_map(struct walk *w, const struct xp_shape *shape, const struct json *j, const struct place *up)
{
    struct json_member *members = arena_make_n(w->arena, struct json_member, j->object.n);
    bool same = true;
    for (size_t i = 0; i < j->object.n; i++) {
        const struct json_member *m = &j->object.members[i];
        struct place at = {.up = up, .key = m->key};
        const struct json *value = walk_shape(w, shape->element, m->value, &at);
        members[i] = *m;
        members[i].value = value ? value : m->value;
        same &= members[i].value == m->value;
    }
    return same ? j : json_make_object(w->arena, members, j->object.n);
}

/* NULL: nothing is left. The recursion is as deep as the model. */
static const struct json *walk_shape(struct walk *w, const struct xp_shape *shape, const struct json *j, const struct place *at)
{
    if (shape->kind == SHAPE_OBJECT && shape->singleton)
        return w->to_lists ? to_list(w, shape, j, at) : to_element(w, shape, j, at);
    if (shape->kind == SHAPE_OBJECT)
        return walk_fields(w, shape->fields, j, at);
    if ((shape->kind == SHAPE_LIST || shape->kind == SHAPE_SET) && managed_is_array(j))
        return walk_list(w, shape, j, at);
    if (shape->kind == SHAPE_MAP && managed_is_object(j))
        return walk_map(w, shape, j, at);
    return j;
}

/* A kept empty list, of which the object has no trace. */
static const struct json *absent(struct walk *w, const struct xp_shape *shape, const struct place *at)
{
    bool lost = w->to_lists && w->kept && shape->kind == SHAPE_OBJECT && shape->singleton;
    const struct json *list = lost ? kept_at(w, at) : NULL;
    return list && managed_is_array(list) && list->array.n == 0 ? list : NULL;
}

static const struct json *walk_fields(struct walk *w, struct xp_fields fields, const struct json *object, const struct place *up)
{
    if (!managed_is_object(object))
        return object;
    const struct json *now = object;
    for (size_t i = 0; i < fields.n; i++) {
        const struct xp_field *f = &fields.v[i];
        struct place at = {.up = up, .key = f->json};
        const struct json *value = json_get_str(object, f->json);
        const struct json *new = value ? walk_shape(w, f->shape, value, &at) : absent(w, f->shape, &at);
        if (value != new)
            now = json_with(w->arena, now, f->json, new);
    }
    return now;
}

/* ---- objects ---- */

static const struct json *walk_trees(struct walk *w, const struct xp_kind *model, const struct json *object)
{
    static const struct {
        const char *part;
        enum xp_tree_name tree;
    } trees[] = {{"spec", FOR_PROVIDER}, {"spec", INIT_PROVIDER}, {"status", AT_PROVIDER}};
    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        const char *name = xp_tree_names[trees[i].tree];
        const struct json *tree = managed_at(object, trees[i].part, name, NULL);
        struct place part = {.key = str_of(trees[i].part)}, at = {.up = &part, .key = str_of(name)};
        const struct json *now = tree ? walk_fields(w, model->trees[trees[i].tree], tree, &at) : NULL;
        if (now != tree)
            object = managed_put(w->arena, object, now, trees[i].part, name, NULL);
    }
    return object;
}

static const struct json *read_kept(struct arena *a, const struct json *object)
{
    struct str text = managed_text(managed_at(object, "metadata", "annotations", CONVERSION_KEPT, NULL));
    const struct json *kept = text.n > 0 ? json_parse_lenient(a, text) : NULL;
    return managed_is_object(kept) ? kept : NULL;
}

static const struct json *without_kept(struct arena *a, const struct json *object)
{
    const struct json *annotations = managed_at(object, "metadata", "annotations", NULL);
    if (!json_get(annotations, CONVERSION_KEPT))
        return object;
    const struct json *rest = json_with(a, annotations, STR(CONVERSION_KEPT), NULL);
    return managed_put(a, object, managed_count(rest) > 0 ? rest : NULL, "metadata", "annotations", NULL);
}

static const struct json *with_kept(struct walk *w, const struct json *object)
{
    struct buf text BUF_AUTO = BUF_INIT(CONVERSION_MAX_KEPT);
    struct json_writer out = {.out = &text};
    if (w->keep.list.n == 0)
        return object;
    json_write(&out, json_make_object(w->arena, w->keep.list.v, w->keep.list.n));
    if (!json_finish(&out) || !buf_ok(&text))
        return object;
    return managed_put(w->arena, object, json_make_string(w->arena, buf_str(&text)), "metadata", "annotations", CONVERSION_KEPT,
                       NULL);
}

const struct json *conversion_object(struct arena *a, const struct xp_kind *model, const struct json *object, struct str version,
                                     enum conversion_misfits misfits)
{
    struct str group = managed_text(json_get(object, "apiVersion")), from = group;
    group = str_cut(&from, '/');
    bool was_old = xp_version_is_older(from, model->version), is_old = xp_version_is_older(version, model->version);
    struct walk w = {.arena = a, .misfits = misfits, .to_lists = is_old};
    if (was_old != is_old) {
        w.kept = is_old ? read_kept(a, object) : NULL;
        object = misfits == MISFITS_KEPT ? without_kept(a, object) : object;
        object = is_old ? renames_to_older(a, model, object, w.kept) : object;
        object = walk_trees(&w, model, object);
        if (!is_old)
            object = renames_to_newest(a, model, object, misfits == MISFITS_KEPT ? &w.keep : NULL);
        object = with_kept(&w, object);
    }
    struct str api = arena_printf(a, STR_FMT "/" STR_FMT, STR_ARG(group), STR_ARG(version));
    return json_with(a, object, STR("apiVersion"), json_make_string(a, api));
}
