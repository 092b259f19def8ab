/* x-kubernetes-list-type: finds duplicates. */
#include "admission/check_private.h"

static void walk(struct checker *c, const struct openapi *s, const struct json *v, const struct at *at);

static bool are_objects(struct checker *c, const struct json *list, const struct at *at)
{
    for (size_t i = 0; i < list->array.n; i++) {
        const struct json *item = list->array.items[i];
        struct at here = at_index(at, i);
        if (item->kind != JSON_OBJECT && item->kind != JSON_NULL) {
            problem_add(c->problems, PROBLEM_ERROR, &here, DIAG_AT_VALUE, "Wrong type",
                        "must be an object, since elements of this list are known by a key.");
            return false;
        }
    }
    return true;
}

static struct str keys_text(struct arena *a, struct openapi_names keys)
{
    struct str text = STR_EMPTY;
    for (size_t i = 0; i < keys.n; i++)
        text = arena_printf(a, STR_FMT "%s" STR_FMT, STR_ARG(text), i > 0 ? ", " : "", STR_ARG(keys.v[i]));
    return text;
}

static void tell_twice(struct checker *c, const struct openapi *s, size_t first, const struct at *at)
{
    if (s->list == LIST_SET)
        problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Duplicate value",
                    "is the same as element %zu; this list is a set, in which no value is twice.", first);
    else
        problem_add(c->problems, PROBLEM_ERROR, at, DIAG_AT_VALUE, "Duplicate value",
                    "has the same key (" STR_FMT ") as element %zu.", STR_ARG(keys_text(c->problems->arena, s->keys)), first);
}

/* Only the second of equal elements is reported; further ones add nothing. */
struct seen {
    size_t first, n;
};

static void check_twice(struct checker *c, const struct openapi *s, const struct json *list, const struct at *at)
{
    struct map all;
    arena_reset(c->scratch);
    map_init(&all, c->scratch);
    for (size_t i = 0; i < list->array.n; i++) {
        struct str key = openapi_list_key(c->scratch, s, list->array.items[i]);
        struct seen *seen = map_get(&all, key);
        if (!seen) {
            seen = arena_make(c->scratch, struct seen);
            seen->first = i;
            map_put(&all, key, seen);
        }
        struct at here = at_index(at, i);
        if (++seen->n == 2)
            tell_twice(c, s, seen->first, &here);
    }
}

static void walk_array(struct checker *c, const struct openapi *s, const struct json *v, const struct at *at)
{
    if (s->list != LIST_ATOMIC && (s->list == LIST_SET || are_objects(c, v, at)))
        check_twice(c, s, v, at);
    for (size_t i = 0; s->items && s->items->has_lists && i < v->array.n; i++) {
        struct at here = at_index(at, i);
        walk(c, s->items, v->array.items[i], &here);
    }
}

static void walk(struct checker *c, const struct openapi *s, const struct json *v, const struct at *at)
{
    if (!s || !s->has_lists)
        return;
    if (v->kind == JSON_ARRAY)
        walk_array(c, s, v, at);
    for (size_t i = 0; v->kind == JSON_OBJECT && i < v->object.n; i++) {
        const struct json_member *m = &v->object.members[i];
        const struct openapi *below = openapi_property(s, m->key);
        struct at here = below ? at_name(at, m->key) : at_key(at, m->key);
        walk(c, below ? below : s->additional, m->value, &here);
    }
}

void check_lists(struct checker *c, const struct openapi *s, const struct json *object)
{
    struct at root = {0};
    walk(c, s, object, &root);
}
