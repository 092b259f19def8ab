/* Pruning and defaults, in one walk. */
#include "admission/check_private.h"
#include "base/json_build.h"
#include "base/vec.h"

static const struct json *shape(struct checker *c, const struct openapi *s, const struct json *v, const struct at *at, bool keep);

const struct json *check_make_object(struct arena *a, const struct json *like, const struct json_member *members, size_t n)
{
    struct json *j = arena_make(a, struct json);
    *j = (struct json){.kind = JSON_OBJECT, .line = like ? like->line : 0, .column = like ? like->column : 0};
    j->object.members = members;
    j->object.n = n;
    j->object.index = json_make_index(a, members, n);
    return j;
}

const struct json *check_make_array(struct arena *a, const struct json *like, const struct json *const *items, size_t n)
{
    struct json *j = arena_make(a, struct json);
    *j = (struct json){.kind = JSON_ARRAY, .line = like->line, .column = like->column};
    j->array.items = items;
    j->array.n = n;
    return j;
}

const struct json *check_with(struct arena *a, const struct json *object, struct str key, const struct json *value)
{
    size_t n = 0, had = object ? object->object.n : 0;
    struct json_member *members = arena_make_n(a, struct json_member, had + 1);
    bool set = !value;
    for (size_t i = 0; i < had; i++) {
        struct json_member m = object->object.members[i];
        if (str_eq(m.key, key)) {
            if (set)
                continue;
            m.value = value;
            set = true;
        }
        members[n++] = m;
    }
    if (!set)
        members[n++] = (struct json_member){.key = key, .value = value};
    return check_make_object(a, object, members, n);
}

void check_unknown(struct checker *c, const struct at *at, struct str name, const struct map *known)
{
    struct at here = at_name(at, name);
    bool worth = known && !problems_full(c->problems); /* searching for a similar name is slow */
    struct str meant = worth ? map_closest(known, name) : STR_EMPTY;
    problem_add(c->problems, c->strict ? PROBLEM_ERROR : PROBLEM_WARNING, &here, DIAG_AT_NAME, "Unknown field",
                "is not a field of this kind%s" STR_FMT "%s%s", meant.n > 0 ? "; did you mean \"" : ".", STR_ARG(meant),
                meant.n > 0 ? "\"?" : "", c->strict ? "" : " It is ignored.");
}

static bool is_meta(struct str name)
{
    return str_eqz(name, "apiVersion") || str_eqz(name, "kind") || str_eqz(name, "metadata");
}

/* A value of the wrong type is reported as such, without its contents. */
static bool takes_members(const struct openapi *s)
{
    return !s || s->type == SCHEMA_OBJECT || s->type == SCHEMA_ANY;
}

/* The pruned member; NULL: removed. */
static const struct json *shape_member(struct checker *c, const struct openapi *s, const struct json_member *m,
                                       const struct at *at, bool keep)
{
    const struct openapi *below = openapi_property(s, m->key);
    if (!at->up && is_meta(m->key))
        return m->value;
    bool is_named = below != NULL;
    if (!below && s && s->has_additional)
        below = s->additional;
    else if (!below) {
        if (!keep && takes_members(s))
            check_unknown(c, at, m->key, s ? s->properties : NULL);
        return keep ? m->value : NULL;
    }
    struct at here = is_named ? at_name(at, m->key) : at_key(at, m->key);
    const struct json *v = m->value;
    if (v->kind == JSON_NULL && below && !below->nullable) {
        if (!below->by_default)
            return NULL;
        v = below->by_default;
    }
    return shape(c, below, v, &here, false);
}

static const struct json *shape_object(struct checker *c, const struct openapi *s, const struct json *v, const struct at *at,
                                       bool keep)
{
    size_t n = 0, n_defaults = s ? s->defaults.n : 0;
    struct json_member *members = arena_make_n(c->arena, struct json_member, v->object.n + n_defaults);
    bool changed = false;
    for (size_t i = 0; i < v->object.n; i++) {
        struct json_member m = v->object.members[i];
        m.value = shape_member(c, s, &v->object.members[i], at, keep);
        changed = changed || m.value != v->object.members[i].value;
        if (m.value)
            members[n++] = m;
    }
    for (size_t i = 0; i < n_defaults; i++) {
        struct str name = s->defaults.v[i];
        if (json_get_str(v, name))
            continue;
        const struct openapi *below = openapi_property(s, name);
        struct at here = at_name(at, name);
        members[n++] = (struct json_member){.key = name, .value = shape(c, below, below->by_default, &here, false)};
        changed = true;
    }
    return changed ? check_make_object(c->arena, v, members, n) : v;
}

static const struct json *shape_array(struct checker *c, const struct openapi *s, const struct json *v, const struct at *at,
                                      bool keep)
{
    const struct openapi *below = s ? s->items : NULL;
    const struct json **items = arena_make_n(c->arena, const struct json *, v->array.n);
    bool changed = false;
    for (size_t i = 0; i < v->array.n; i++) {
        struct at here = at_index(at, i);
        const struct json *item = v->array.items[i];
        if (item->kind == JSON_NULL && below && !below->nullable && below->by_default)
            item = below->by_default;
        items[i] = shape(c, below, item, &here, keep);
        changed = changed || items[i] != v->array.items[i];
    }
    return changed ? check_make_array(c->arena, v, items, v->array.n) : v;
}

/* `keep`: unknown fields are kept, because the enclosing schema says so. */
static const struct json *shape(struct checker *c, const struct openapi *s, const struct json *v, const struct at *at, bool keep)
{
    keep = keep || (s && s->preserve);
    if (keep && !s)
        return v;
    return v->kind == JSON_OBJECT ? shape_object(c, s, v, at, keep) : v->kind == JSON_ARRAY ? shape_array(c, s, v, at, keep) : v;
}

const struct json *check_shape(struct checker *c, const struct openapi *s, const struct json *object)
{
    struct at root = {0};
    return shape_object(c, s, object, &root, s->preserve);
}
