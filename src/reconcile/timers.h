/* Moments to come, the earliest first: a binary heap. A timer is part of what it is for, and is never copied while it runs. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer {
    int64_t at;
    size_t place;   /* its index in the heap + 1; 0: it does not run */
    bool of_config; /* the queue's: what it is part of */
};

struct timers {
    struct timer **heap;
    size_t n, cap;
};

static inline bool timer_runs(const struct timer *t)
{
    return t->place > 0;
}

/* One that runs is moved. */
void timers_start(struct timers *all, struct timer *t, int64_t at);
/* Does nothing where it does not run. */
void timers_stop(struct timers *all, struct timer *t);
/* The earliest; NULL: none runs. */
struct timer *timers_first(const struct timers *all);
void timers_free(struct timers *all);
