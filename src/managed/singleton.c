#include "managed/singleton.h"

#include "managed/edit.h"

const struct json *managed_wrap(struct arena *a, const struct json *value)
{
    return json_make_array(a, &value, 1);
}

bool managed_unwrap(const struct json *list, struct str at, struct diags *diags, const struct json **ret)
{
    if (managed_is_absent(list)) {
        *ret = NULL;
        return true;
    }
    if (list->kind != JSON_ARRAY)
        return diags_fail(diags, "Not a list", STR_FMT ": a list of at most one element was expected, and it is not a list.",
                          STR_ARG(at));
    if (list->array.n > 1)
        return diags_fail(diags, "List too long", STR_FMT ": a list of at most one element was expected, and it has %zu.",
                          STR_ARG(at), list->array.n);
    *ret = list->array.n > 0 ? list->array.items[0] : NULL;
    return true;
}

struct conversion {
    struct arena *arena;
    const struct managed_singleton *singletons;
    size_t n;
    enum managed_direction direction;
    struct diags *diags;
    bool failed;
};

static const struct managed_singleton *singleton_at(const struct conversion *c, struct str path)
{
    for (size_t i = 0; i < c->n; i++)
        if (str_eq(c->singletons[i].path, path))
            return &c->singletons[i];
    return NULL;
}

static const struct json *convert(struct conversion *c, const struct json *v, struct str path);

static struct str element_path(const struct conversion *c, struct str path)
{
    return arena_printf(c->arena, STR_FMT "[*]", STR_ARG(path));
}

/* Converts the singleton itself; its contents are converted first. */
static const struct json *convert_one(struct conversion *c, const struct json *v, const struct managed_singleton *s)
{
    const struct json *inner = v;
    struct str below = element_path(c, s->path);
    if (c->direction == MANAGED_OBJECT_TO_LIST) {
        inner = convert(c, v, below);
        if (s->merge_key.n > 0)
            inner = json_with(c->arena, inner, s->merge_key,
                              s->merge_default ? s->merge_default : json_make_string(c->arena, STR("0")));
        return managed_wrap(c->arena, inner);
    }
    if (!managed_unwrap(v, s->path, c->diags, &inner))
        c->failed = true;
    if (c->failed || !inner)
        return NULL;
    if (s->merge_key.n > 0)
        inner = json_with(c->arena, inner, s->merge_key, NULL);
    return convert(c, inner, below);
}

static const struct json *convert_members(struct conversion *c, const struct json *v, struct str path)
{
    struct json_member *members = arena_make_n(c->arena, struct json_member, v->object.n);
    size_t n = 0;
    for (size_t i = 0; i < v->object.n && !c->failed; i++) {
        struct json_member m = v->object.members[i];
        struct str below = arena_printf(c->arena, STR_FMT "%s" STR_FMT, STR_ARG(path), path.n > 0 ? "." : "", STR_ARG(m.key));
        const struct managed_singleton *s = singleton_at(c, below);
        m.value = s ? convert_one(c, m.value, s) : convert(c, m.value, below);
        if (m.value)
            members[n++] = m;
    }
    return json_make_object(c->arena, members, n);
}

/* NULL only on failure. */
static const struct json *convert(struct conversion *c, const struct json *v, struct str path)
{
    if (v->kind == JSON_OBJECT)
        return convert_members(c, v, path);
    if (v->kind != JSON_ARRAY)
        return v;
    const struct json **items = arena_make_n(c->arena, const struct json *, v->array.n);
    struct str below = element_path(c, path);
    for (size_t i = 0; i < v->array.n; i++) {
        items[i] = convert(c, v->array.items[i], below);
        if (c->failed)
            return NULL;
    }
    return json_make_array(c->arena, items, v->array.n);
}

bool managed_singletons(struct arena *a, const struct json *object, const struct managed_singleton *singletons, size_t n,
                        enum managed_direction direction, struct diags *diags, const struct json **ret)
{
    struct conversion c = {a, singletons, n, direction, diags, false};
    const struct json *result = object && n > 0 ? convert(&c, object, STR_EMPTY) : object;
    if (c.failed)
        return false;
    *ret = result;
    return true;
}
