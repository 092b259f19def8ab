#include "reconcile/timers.h"

#include "base/must.h"

#include <stdlib.h>

enum { FEWEST = 64 };

static void put(struct timers *all, size_t i, struct timer *t)
{
    all->heap[i] = t;
    t->place = i + 1;
}

static void sift_up(struct timers *all, size_t i, struct timer *t)
{
    for (; i > 0 && all->heap[(i - 1) / 2]->at > t->at; i = (i - 1) / 2)
        put(all, i, all->heap[(i - 1) / 2]);
    put(all, i, t);
}

static void sift_down(struct timers *all, size_t i, struct timer *t)
{
    for (;;) {
        size_t child = 2 * i + 1;
        if (child + 1 < all->n && all->heap[child + 1]->at < all->heap[child]->at)
            child++;
        if (child >= all->n || all->heap[child]->at >= t->at)
            break;
        put(all, i, all->heap[child]);
        i = child;
    }
    put(all, i, t);
}

void timers_stop(struct timers *all, struct timer *t)
{
    if (!timer_runs(t))
        return;
    size_t hole = t->place - 1;
    struct timer *last = all->heap[--all->n];
    t->place = 0;
    if (last == t)
        return;
    sift_up(all, hole, last);
    sift_down(all, last->place - 1, last);
}

void timers_start(struct timers *all, struct timer *t, int64_t at)
{
    timers_stop(all, t);
    if (all->n == all->cap) {
        all->cap = all->cap > 0 ? 2 * all->cap : FEWEST;
        all->heap = must(realloc(all->heap, all->cap * sizeof(struct timer *)));
    }
    t->at = at;
    sift_up(all, all->n++, t);
}

struct timer *timers_first(const struct timers *all)
{
    return all->n > 0 ? all->heap[0] : NULL;
}

void timers_free(struct timers *all)
{
    free(all->heap);
    *all = (struct timers){0};
}
