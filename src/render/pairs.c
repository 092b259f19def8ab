#include "base/vec.h"
#include "render/diff_private.h"

#include <stdlib.h>

struct walk {
    struct arena *arena;
    size_t n_before, n_after;
    pair_test_fn *same, *are_objects;
    const void *ctx;
    struct pair *common; /* the longest common subsequence, in order */
    size_t n_common;
    VEC(struct pair) pairs;
};

static size_t common_start(const struct walk *w)
{
    size_t n = 0;
    while (n < w->n_before && n < w->n_after && w->same(w->ctx, n, n))
        n++;
    return n;
}

static size_t common_end(const struct walk *w, size_t start)
{
    size_t n = 0;
    while (n < w->n_before - start && n < w->n_after - start && w->same(w->ctx, w->n_before - n - 1, w->n_after - n - 1))
        n++;
    return n;
}

static void add_run(struct walk *w, size_t before, size_t after, size_t n)
{
    for (size_t i = 0; i < n; i++)
        w->common[w->n_common++] = (struct pair){before + i, after + i};
}

/* The table: cell (b, a) is the length of the longest common subsequence of the first b and a elements. */
struct length_table {
    uint32_t *cells;
    size_t width;
};

static uint32_t cell(const struct length_table *t, size_t b, size_t a)
{
    return t->cells[a * t->width + b];
}

static void fill(const struct walk *w, const struct length_table *t)
{
    for (size_t a = 1; a <= w->n_after; a++)
        for (size_t b = 1; b <= w->n_before; b++) {
            uint32_t best = cell(t, b - 1, a) > cell(t, b, a - 1) ? cell(t, b - 1, a) : cell(t, b, a - 1);
            if (w->same(w->ctx, b - 1, a - 1))
                best = cell(t, b - 1, a - 1) + 1;
            t->cells[a * t->width + b] = best;
        }
}

/*
 * If there are several longest subsequences, finds the one that Terraform chooses: from the end, equal elements first, then the
 * shorter `after` side.
 */
static void trace(struct walk *w, const struct length_table *t)
{
    w->n_common = cell(t, w->n_before, w->n_after);
    size_t left = w->n_common;
    for (size_t b = w->n_before, a = w->n_after; b > 0 && a > 0;) {
        if (w->same(w->ctx, b - 1, a - 1))
            w->common[--left] = (struct pair){--b, --a};
        else if (cell(t, b - 1, a) > cell(t, b, a - 1))
            b--;
        else
            a--;
    }
}

static void find_common(struct walk *w)
{
    size_t most = w->n_before < w->n_after ? w->n_before : w->n_after;
    w->common = arena_make_n(w->arena, struct pair, most);
    if (most == 0)
        return;
    if ((w->n_before + 1) > (size_t)PAIRS_MAX_CELLS / (w->n_after + 1)) {
        size_t start = common_start(w), end = common_end(w, start);
        add_run(w, 0, 0, start);
        return add_run(w, w->n_before - end, w->n_after - end, end);
    }
    struct length_table t = {calloc((w->n_before + 1) * (w->n_after + 1), sizeof(uint32_t)), w->n_before + 1};
    if (!t.cells)
        abort();
    fill(w, &t);
    trace(w, &t);
    free(t.cells);
}

static void add(struct walk *w, size_t before, size_t after)
{
    *VEC_PUSH(w->arena, &w->pairs) = (struct pair){before, after};
}

struct pairs pair_by_place(struct arena *a, size_t n)
{
    struct pair *v = arena_make_n(a, struct pair, n);
    for (size_t i = 0; i < n; i++)
        v[i] = (struct pair){i, i};
    return (struct pairs){v, n};
}

static bool is_kept(const struct walk *w, size_t before)
{
    for (size_t after = 0; after < w->n_after; after++)
        if (w->same(w->ctx, before, after))
            return true;
    return false;
}

static bool all_kept(const struct walk *w)
{
    for (size_t before = 0; before < w->n_before; before++)
        if (!is_kept(w, before))
            return false;
    return true;
}

/*
 * Terraform looks for the next common element by value, not by position: of equal elements the first one counts as the common
 * one, whichever the table chose.
 */
static bool is_common(const struct walk *w, size_t next, size_t before, size_t after)
{
    if (next >= w->n_common)
        return false;
    return before != SIZE_MAX ? w->same(w->ctx, before, w->common[next].after) : w->same(w->ctx, w->common[next].before, after);
}

struct pairs pair_up(struct arena *a, size_t n_before, size_t n_after, pair_test_fn *same, pair_test_fn *are_objects,
                     const void *ctx)
{
    struct walk w = {.arena = a, .n_before = n_before, .n_after = n_after, .same = same, .are_objects = are_objects, .ctx = ctx};
    if (n_before == n_after && !all_kept(&w))
        return pair_by_place(a, n_before);
    find_common(&w);
    size_t before = 0, after = 0;
    for (size_t next = 0; before < n_before || after < n_after; next++) {
        for (; before < n_before && !is_common(&w, next, before, SIZE_MAX); before++) {
            bool objects = after < n_after && are_objects(ctx, before, after) && !is_common(&w, next, SIZE_MAX, after);
            add(&w, before, objects ? after++ : SIZE_MAX);
        }
        for (; after < n_after && !is_common(&w, next, SIZE_MAX, after); after++)
            add(&w, SIZE_MAX, after);
        if (next < w.n_common)
            add(&w, before++, after++);
    }
    return (struct pairs){w.pairs.v, w.pairs.n};
}
