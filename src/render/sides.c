#include "render/sides_private.h"

#include <stdlib.h>

static const struct json *content(const struct json *j)
{
    return j && j->kind != JSON_NULL ? j : NULL;
}

struct sides sides_of_change(const struct json *change)
{
    const struct json *paths = json_get(change, "replace_paths");
    return (struct sides){
        .before = content(json_get(change, "before")),
        .after = content(json_get(change, "after")),
        .unknown = json_get(change, "after_unknown"),
        .was_secret = json_get(change, "before_sensitive"),
        .is_secret = json_get(change, "after_sensitive"),
        .replace = {.v = json_length(paths) > 0 ? paths->array.items : NULL, .n = json_length(paths)},
    };
}

struct sides sides_of_object(const struct json *value, const struct json *secret)
{
    return (struct sides){.before = content(value), .after = content(value), .was_secret = secret, .is_secret = secret};
}

/* Replacement */

bool sides_force_replacement(const struct sides *s)
{
    for (size_t i = 0; i < s->replace.n; i++)
        if (s->replace.v[i]->kind == JSON_ARRAY && json_length(s->replace.v[i]) == s->replace.depth)
            return true;
    return false;
}

/* Paths have no types: as in the language, a step into a list may be a string that looks like a number. */
static bool is_step(const struct json *step, const struct str *name, size_t index)
{
    if (name)
        return step->kind == JSON_STRING && str_eq(step->text, *name);
    int64_t i;
    return (step->kind == JSON_NUMBER || step->kind == JSON_STRING) && str_to_i64(step->text, &i) && i >= 0 &&
           (uint64_t)i == index;
}

static struct replace_paths follow(struct arena *a, struct replace_paths from, const struct str *name, size_t index)
{
    struct replace_paths to = {.depth = from.depth + 1};
    if (from.n == 0)
        return to;
    const struct json **v = arena_make_n(a, const struct json *, from.n);
    for (size_t i = 0; i < from.n; i++)
        if (json_length(from.v[i]) > from.depth && is_step(from.v[i]->array.items[from.depth], name, index))
            v[to.n++] = from.v[i];
    to.v = v;
    return to;
}

/* Parts */

struct sides sides_member(struct arena *a, const struct sides *s, struct str name)
{
    const struct json *before = json_get_str(s->before, name), *after = json_get_str(s->after, name);
    return (struct sides){
        .before = content(before),
        .after = content(after),
        .has_before = before,
        .has_after = after,
        .unknown = json_get_str(s->unknown, name),
        .was_secret = json_get_str(s->was_secret, name),
        .is_secret = json_get_str(s->is_secret, name),
        .modern = s->modern,
        .replace = follow(a, s->replace, &name, 0),
    };
}

struct sides sides_item(struct arena *a, const struct sides *s, size_t before, size_t after)
{
    const struct json *old = json_item(s->before, before), *new = json_item(s->after, after);
    return (struct sides){
        .before = content(old),
        .after = content(new),
        .has_before = old,
        .has_after = new,
        .unknown = json_item(s->unknown, after),
        .was_secret = json_item(s->was_secret, before),
        .is_secret = json_item(s->is_secret, after),
        .replace = follow(a, s->replace, NULL, old ? before : after),
    };
}

struct sides sides_deleted(const struct sides *s)
{
    return (struct sides){.before = s->before, .has_before = s->has_before, .was_secret = s->was_secret, .replace = s->replace};
}

struct sides sides_created(const struct sides *s)
{
    return (struct sides){
        .after = s->after,
        .has_after = s->has_after,
        .unknown = s->unknown,
        .is_secret = s->is_secret,
        .replace = s->replace,
    };
}

/* Names */

static size_t add_names(struct str *v, size_t n, const struct json *object)
{
    if (object && object->kind == JSON_OBJECT)
        for (size_t i = 0; i < object->object.n; i++)
            v[n++] = object->object.members[i].key;
    return n;
}

static size_t count_names(const struct json *object)
{
    return object && object->kind == JSON_OBJECT ? object->object.n : 0;
}

struct names sides_names(struct arena *a, const struct sides *s, bool of_values)
{
    const struct json *trees[] = {s->before, s->after, s->unknown, s->was_secret, s->is_secret};
    size_t n_trees = of_values ? 2 : sizeof trees / sizeof trees[0], most = 0, n = 0;
    for (size_t i = 0; i < n_trees; i++)
        most += count_names(trees[i]);
    struct str *v = arena_make_n(a, struct str, most);
    for (size_t i = 0; i < n_trees; i++)
        n = add_names(v, n, trees[i]);
    if (n > 1)
        qsort(v, n, sizeof *v, str_cmp_qsort);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || !str_eq(v[kept - 1], v[i]))
            v[kept++] = v[i];
    return (struct names){v, kept};
}

/* Equality */

static bool same_arrays(const struct json *a, const struct json *b)
{
    if (a->array.n != b->array.n)
        return false;
    for (size_t i = 0; i < a->array.n; i++)
        if (!json_same(a->array.items[i], b->array.items[i]))
            return false;
    return true;
}

static bool same_objects(const struct json *a, const struct json *b)
{
    if (a->object.n != b->object.n)
        return false;
    for (size_t i = 0; i < a->object.n; i++) {
        const struct json *other = json_get_str(b, a->object.members[i].key);
        if (!other || !json_same(a->object.members[i].value, other))
            return false;
    }
    return true;
}

bool json_same(const struct json *a, const struct json *b)
{
    a = content(a);
    b = content(b);
    if (!a || !b || a == b)
        return a == b;
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case JSON_NULL:
        return true;
    case JSON_BOOL:
        return a->boolean == b->boolean;
    case JSON_NUMBER:
    case JSON_STRING:
        return str_eq(a->text, b->text);
    case JSON_ARRAY:
        return same_arrays(a, b);
    case JSON_OBJECT:
        return same_objects(a, b);
    }
    return false;
}
