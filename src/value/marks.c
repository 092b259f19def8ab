/*
 * Sorted lists of paths: a path comes right before the paths inside it. Set elements are compared as values, because the same
 * element may be two objects in memory.
 */
#include "value/marks.h"

#include <stdlib.h>

static int cmp_element(const struct value *a, const struct value *b)
{
    if (a == b)
        return 0;
    if (!a || !b)
        return a ? 1 : -1;
    if (type_eq(a->type, b->type))
        return value_cmp(a, b);
    uint64_t x = value_hash(a), y = value_hash(b);
    return a->type->kind != b->type->kind ? (int)a->type->kind - (int)b->type->kind : (x > y) - (x < y);
}

static int cmp_step(const struct path_step *a, const struct path_step *b)
{
    if (a->kind != b->kind)
        return (int)a->kind - (int)b->kind;
    if (a->kind == PATH_ELEMENT)
        return cmp_element(a->element, b->element);
    if (a->kind == PATH_INDEX)
        return (a->index > b->index) - (a->index < b->index);
    return str_cmp(a->name, b->name);
}

static int cmp_path(struct path a, struct path b)
{
    for (size_t i = 0; i < a.n && i < b.n; i++) {
        int order = cmp_step(&a.steps[i], &b.steps[i]);
        if (order != 0)
            return order;
    }
    return (a.n > b.n) - (a.n < b.n);
}

static int by_path(const void *a, const void *b)
{
    return cmp_path(*(const struct path *)a, *(const struct path *)b);
}

/* Sorts in place and removes duplicates. */
static struct marks normalized(struct path *paths, size_t n)
{
    if (n > 1)
        qsort(paths, n, sizeof *paths, by_path);
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (kept == 0 || cmp_path(paths[kept - 1], paths[i]) != 0)
            paths[kept++] = paths[i];
    return (struct marks){paths, kept};
}

struct marks marks_make(struct arena *a, const struct path *paths, size_t n)
{
    return marks_union(a, (struct marks){paths, n}, (struct marks){NULL, 0});
}

struct marks marks_union(struct arena *a, struct marks x, struct marks y)
{
    struct path *paths = arena_make_n(a, struct path, x.n + y.n);
    for (size_t i = 0; i < x.n; i++)
        paths[i] = x.paths[i];
    for (size_t i = 0; i < y.n; i++)
        paths[x.n + i] = y.paths[i];
    return normalized(paths, x.n + y.n);
}

bool marks_eq(struct marks x, struct marks y)
{
    if (x.n != y.n)
        return false;
    for (size_t i = 0; i < x.n; i++)
        if (cmp_path(x.paths[i], y.paths[i]) != 0)
            return false;
    return true;
}

static bool is_within(struct path inner, struct path outer)
{
    if (inner.n < outer.n)
        return false;
    return cmp_path((struct path){inner.steps, outer.n}, outer) == 0;
}

bool marks_cover(struct marks m, struct path path)
{
    for (size_t i = 0; i < m.n; i++)
        if (is_within(path, m.paths[i]))
            return true;
    return false;
}
