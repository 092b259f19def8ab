/*
 * Timers in a binary heap, the earliest first. A timer is a member of the structure that it is for, and must not be moved while
 * it runs.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct timer {
    int64_t at;
    size_t place;   /* its index in the heap + 1; 0: it does not run */
    bool of_config; /* used by the queue: the timer belongs to a configuration, not to an item */
};

struct timers {
    struct timer **heap;
    size_t n, cap;
};

static inline bool timer_runs(const struct timer *t)
{
    return t->place > 0;
}

/* Restarts a timer that runs already. */
void timers_start(struct timers *all, struct timer *t, int64_t at);
/* Does nothing if the timer does not run. */
void timers_stop(struct timers *all, struct timer *t);
/* The earliest timer; NULL: none runs. */
struct timer *timers_first(const struct timers *all);
void timers_free(struct timers *all);
