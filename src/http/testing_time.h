/* Fake time for tests of the client: it advances only in pauses, which return immediately and are recorded. For one thread. */
#pragma once

#include "http/timing.h"

enum { TESTING_PAUSES = 256 };

struct testing_time {
    struct http_time time;
    struct fake_clock clock;
    double chance;
    int64_t pauses[TESTING_PAUSES];
    int n_pauses;
};

static inline bool testing_pause(const struct http_time *t, int64_t ns, struct cancel *cancel)
{
    struct testing_time *tt = (struct testing_time *)(uintptr_t)t;
    if (tt->n_pauses < TESTING_PAUSES)
        tt->pauses[tt->n_pauses] = ns;
    tt->n_pauses++;
    fake_clock_advance(&tt->clock, ns);
    return !cancel_fired(cancel);
}

static inline double testing_chance(const struct http_time *t)
{
    return ((const struct testing_time *)t)->chance;
}

static inline void testing_time_init(struct testing_time *t, int64_t wall_ns)
{
    *t = (struct testing_time){.chance = 0.5};
    fake_clock_init(&t->clock, wall_ns);
    t->time = (struct http_time){.clock = &t->clock.clock, .pause = testing_pause, .chance = testing_chance};
}
