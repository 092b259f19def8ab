#include "links/place.h"

/* --- finding --- */

struct walk {
    struct str rest;  /* steps that follow */
    struct str name;  /* of this step */
    struct str marks; /* marks after the name that are not consumed yet */
    bool marked;      /* the name has marks */
    enum link_place_mode mode;
    struct buf path;
    struct link_place place;
};

static enum link_place_result walk_type(struct walk *w, const struct type *t);
static enum link_place_result walk_block(struct walk *w, const struct schema_block *b);

static void next_step(struct walk *w)
{
    w->name = link_path_step(&w->rest, &w->marks);
    w->marked = w->marks.n > 0;
}

static enum link_place_result wrong_marks(struct walk *w, const char *expected)
{
    w->place.step = w->name;
    w->place.closest = str_of(expected);
    return PLACE_NO_MARKS;
}

static bool take_mark(struct walk *w, struct str mark)
{
    if (!str_starts(w->marks, mark))
        return false;
    w->marks = str_slice(w->marks, mark.n, w->marks.n);
    return true;
}

static bool has_map_mark(const struct walk *w)
{
    for (size_t i = 0; i + 1 < w->marks.n; i += 2)
        if (w->marks.p[i] == '{')
            return true;
    return false;
}

/* Enters a list, set or map and writes its mark; false if the path has the other mark. */
static bool enter_collection(struct walk *w, bool map)
{
    struct str mark = map ? STR("{}") : STR("[]");
    buf_add(&w->path, mark);
    if (w->mode == PLACE_OF_TABLE)
        return take_mark(w, mark) || !w->marked;
    if (map && !has_map_mark(w) && w->rest.n > 0)
        next_step(w);
    else if (map)
        w->marks = STR_EMPTY;
    return true;
}

/* False if marks are left over. */
static bool leave_step(const struct walk *w)
{
    return w->mode == PLACE_OF_EXAMPLE || w->marks.n == 0;
}

static void consider(struct walk *w, struct str name, size_t *least)
{
    size_t distance = str_distance(name, w->name);
    if (distance < *least) {
        *least = distance;
        w->place.closest = name;
    }
}

static size_t typing_error(struct str typed)
{
    return typed.n / 3 + 2;
}

static enum link_place_result no_name(struct walk *w)
{
    w->place.step = w->name;
    return PLACE_NO_NAME;
}

/* dimensions.QueueName: the element of a map with that key. */
static enum link_place_result walk_key(struct walk *w, const struct type *t)
{
    next_step(w);
    buf_addc(&w->path, '.');
    buf_add(&w->path, w->name);
    return walk_type(w, t->element);
}

static enum link_place_result walk_collection(struct walk *w, const struct type *t)
{
    bool key = w->mode == PLACE_OF_TABLE && t->kind == TYPE_MAP && type_is_primitive(t->element) && !w->marked && w->rest.n > 0;
    if (key)
        return walk_key(w, t);
    if (!enter_collection(w, t->kind == TYPE_MAP))
        return wrong_marks(w, t->kind == TYPE_MAP ? "{}" : "[]");
    return walk_type(w, t->element);
}

static enum link_place_result walk_object_type(struct walk *w, const struct type *t)
{
    if (!leave_step(w))
        return wrong_marks(w, "");
    if (w->rest.n == 0)
        return PLACE_NO_VALUE;
    buf_addc(&w->path, '.');
    next_step(w);
    size_t i = type_attr_find(t, w->name), least = typing_error(w->name);
    for (size_t j = 0; j < t->n && i == SIZE_MAX; j++)
        consider(w, t->attrs[j].name, &least);
    if (i == SIZE_MAX)
        return no_name(w);
    buf_add(&w->path, w->name);
    w->place.shape = t->attrs[i].type;
    return walk_type(w, t->attrs[i].type);
}

static enum link_place_result walk_type(struct walk *w, const struct type *t)
{
    switch (t->kind) {
    case TYPE_LIST:
    case TYPE_SET:
    case TYPE_MAP:
        return walk_collection(w, t);
    case TYPE_OBJECT:
        return walk_object_type(w, t);
    case TYPE_TUPLE:
        return PLACE_NO_VALUE;
    case TYPE_DYNAMIC: /* it may contain anything */
        w->rest = STR_EMPTY;
        w->place.type = t;
        return PLACE_FOUND;
    case TYPE_STRING:
    case TYPE_NUMBER:
    case TYPE_BOOL:
        break;
    }
    if (!leave_step(w))
        return wrong_marks(w, "");
    w->place.type = t;
    if (w->rest.n == 0)
        return PLACE_FOUND;
    next_step(w);
    return no_name(w);
}

static enum link_place_result walk_attr(struct walk *w, const struct schema_attr *a);

static enum link_place_result walk_nested(struct walk *w, const struct schema_object *o)
{
    bool map = o->nesting == NESTING_MAP;
    if ((map || o->nesting == NESTING_LIST || o->nesting == NESTING_SET) && !enter_collection(w, map))
        return wrong_marks(w, map ? "{}" : "[]");
    if (!leave_step(w))
        return wrong_marks(w, "");
    if (w->rest.n == 0)
        return PLACE_NO_VALUE;
    buf_addc(&w->path, '.');
    next_step(w);
    const struct schema_attr *attr = schema_object_attr(o, w->name);
    if (attr)
        return walk_attr(w, attr);
    size_t least = typing_error(w->name);
    for (size_t i = 0; i < o->n_attrs; i++)
        consider(w, o->attrs[i].name, &least);
    return no_name(w);
}

static enum link_place_result walk_attr(struct walk *w, const struct schema_attr *a)
{
    buf_add(&w->path, w->name);
    w->place.settable = a->optional || a->required;
    w->place.sensitive = a->sensitive;
    w->place.shape = a->value_type;
    if (a->nested)
        return walk_nested(w, a->nested);
    return walk_type(w, a->value_type);
}

/* For readers a block that is allowed once is not a list, even if the provider treats it as one: [] is optional. */
static enum link_place_result walk_nested_block(struct walk *w, const struct schema_nested_block *b)
{
    bool map = b->nesting == NESTING_MAP, list = b->nesting == NESTING_LIST || b->nesting == NESTING_SET;
    buf_add(&w->path, w->name);
    if (list && b->max_items == 1)
        (void)take_mark(w, STR("[]"));
    else if (map)
        buf_addz(&w->path, "{}"); /* its key is a label */
    if (map && w->mode == PLACE_OF_TABLE && !take_mark(w, STR("{}")) && w->marked)
        return wrong_marks(w, "{}");
    if (list && b->max_items != 1 && !enter_collection(w, false))
        return wrong_marks(w, "[]");
    if (!leave_step(w))
        return wrong_marks(w, "");
    if (w->rest.n == 0)
        return PLACE_NO_VALUE;
    buf_addc(&w->path, '.');
    return walk_block(w, b->block);
}

static enum link_place_result walk_block(struct walk *w, const struct schema_block *b)
{
    next_step(w);
    const struct schema_attr *attr = schema_block_attr(b, w->name);
    const struct schema_nested_block *block = schema_block_block(b, w->name);
    if (attr)
        return walk_attr(w, attr);
    if (block)
        return walk_nested_block(w, block);
    size_t least = typing_error(w->name);
    for (size_t i = 0; i < b->n_attrs; i++)
        consider(w, b->attrs[i].name, &least);
    for (size_t i = 0; i < b->n_blocks; i++)
        consider(w, b->blocks[i].name, &least);
    return no_name(w);
}

enum link_place_result link_place_find(struct arena *a, const struct schema_block *block, struct str path,
                                       enum link_place_mode mode, struct link_place *ret)
{
    /* Marks make a path longer; a path over this limit cannot be written to a table. */
    struct walk w = {.rest = path, .mode = mode, .path = BUF_INIT(2 * LINKS_MAX_PATH)};
    w.place.step = w.place.closest = STR_EMPTY;
    enum link_place_result result = path.n > LINKS_MAX_PATH ? PLACE_NO_NAME : walk_block(&w, block);
    if (w.path.n > LINKS_MAX_PATH || w.path.failed)
        result = PLACE_NO_NAME;
    w.place.path = buf_copy(&w.path, a);
    w.place.step = arena_str(a, w.place.step);
    buf_free(&w.path);
    *ret = w.place;
    return result;
}

/* --- all of them --- */

struct visit {
    link_place_fn *fn;
    void *ctx;
    struct buf path;
    struct link_place place;
};

static bool visit_block(struct visit *v, const struct schema_block *b);
static bool visit_attr(struct visit *v, const struct schema_attr *a);

/* Appends a name to the path; `*ret_before` is the length before that. False if the path gets too long for a table. */
static bool push(struct visit *v, struct str name, size_t *ret_before)
{
    *ret_before = v->path.n;
    if (v->path.n + 1 + name.n > LINKS_MAX_PATH)
        return false;
    if (v->path.n > 0)
        buf_addc(&v->path, '.');
    buf_add(&v->path, name);
    return true;
}

static bool visit_type(struct visit *v, const struct type *t)
{
    while (type_is_collection(t))
        t = t->element;
    if (t->kind != TYPE_OBJECT) {
        v->place.type = t;
        v->place.path = buf_str(&v->path);
        return t->kind == TYPE_TUPLE || v->fn(v->ctx, &v->place);
    }
    bool go_on = true;
    for (size_t i = 0; i < t->n && go_on; i++) {
        size_t before;
        if (push(v, t->attrs[i].name, &before)) {
            v->place.shape = t->attrs[i].type;
            go_on = visit_type(v, t->attrs[i].type);
        }
        v->path.n = before;
    }
    return go_on;
}

static bool visit_attrs(struct visit *v, const struct schema_attr *attrs, size_t n)
{
    bool go_on = true;
    for (size_t i = 0; i < n && go_on; i++)
        go_on = visit_attr(v, &attrs[i]);
    return go_on;
}

static bool visit_attr(struct visit *v, const struct schema_attr *a)
{
    size_t before;
    bool go_on = true;
    if (push(v, a->name, &before)) {
        v->place.settable = a->optional || a->required;
        v->place.sensitive = a->sensitive;
        v->place.shape = a->value_type;
        go_on = a->nested ? visit_attrs(v, a->nested->attrs, a->nested->n_attrs) : visit_type(v, a->value_type);
    }
    v->path.n = before;
    return go_on;
}

static bool visit_block(struct visit *v, const struct schema_block *b)
{
    bool go_on = visit_attrs(v, b->attrs, b->n_attrs);
    for (size_t i = 0; i < b->n_blocks && go_on; i++) {
        size_t before;
        if (push(v, b->blocks[i].name, &before))
            go_on = visit_block(v, b->blocks[i].block);
        v->path.n = before;
    }
    return go_on;
}

bool link_places(const struct schema_block *block, link_place_fn *fn, void *ctx)
{
    struct visit v = {.fn = fn, .ctx = ctx, .path = BUF_INIT(LINKS_MAX_PATH)};
    v.place.step = v.place.closest = STR_EMPTY;
    bool all = visit_block(&v, block);
    buf_free(&v.path);
    return all;
}
