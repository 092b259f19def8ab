/* For tests of code that depends on time: each participant has a clock that the test moves. */
#pragma once

#include "base/lock.h"
#include "http/timing.h"

/*
 * A clock that stands still until stepped_step(). That wakes the pausing thread when its time has come, and then waits until the
 * thread pauses again.
 */
struct stepped {
    struct http_time time; /* the first member */
    struct clock clock;
    pthread_mutex_t lock; /* of the members below */
    pthread_cond_t changed;
    int64_t now, wall, until;
    bool pausing;
    int rounds;
};

static inline struct stepped *stepped_of_clock(const struct clock *c)
{
    return (struct stepped *)((uintptr_t)c - offsetof(struct stepped, clock));
}

static inline int64_t stepped_now(const struct clock *c)
{
    MUTEX_GUARD(&stepped_of_clock(c)->lock);
    return stepped_of_clock(c)->now;
}

static inline int64_t stepped_wall(const struct clock *c)
{
    MUTEX_GUARD(&stepped_of_clock(c)->lock);
    return stepped_of_clock(c)->wall;
}

static inline bool stepped_pause(const struct http_time *t, int64_t ns, struct cancel *cancel)
{
    struct stepped *s = (struct stepped *)(uintptr_t)t;
    MUTEX_GUARD(&s->lock);
    s->until = s->now + ns;
    s->pausing = true;
    s->rounds++;
    cond_broadcast(&s->changed);
    while (s->now < s->until && !cancel_fired(cancel))
        (void)cond_wait(&s->changed, &s->lock, clock_now(&system_clock) + 10 * NS_PER_MS);
    s->pausing = false;
    return !cancel_fired(cancel);
}

static inline double stepped_chance(const struct http_time *t)
{
    (void)t;
    return 0;
}

static inline void stepped_init(struct stepped *s, int64_t wall)
{
    *s = (struct stepped){.now = NS_PER_S, .wall = wall};
    s->clock = (struct clock){stepped_now, stepped_wall};
    s->time = (struct http_time){&s->clock, stepped_pause, stepped_chance};
    mutex_init(&s->lock);
    cond_init(&s->changed);
}

static inline void stepped_settle(struct stepped *s, int rounds)
{
    while (!s->pausing || s->rounds < rounds)
        (void)cond_wait(&s->changed, &s->lock, clock_now(&system_clock) + 10 * NS_PER_MS);
}

static inline void stepped_step(struct stepped *s, int64_t ns)
{
    MUTEX_GUARD(&s->lock);
    stepped_settle(s, 0);
    s->now += ns;
    s->wall += ns;
    int rounds = s->rounds + (s->now >= s->until);
    cond_broadcast(&s->changed);
    stepped_settle(s, rounds);
}

/* Changes the wall clock, as an administrator or NTP does. */
static inline void stepped_jump(struct stepped *s, int64_t ns)
{
    MUTEX_GUARD(&s->lock);
    s->wall += ns;
}

static inline void stepped_end(struct stepped *s)
{
    cond_destroy(&s->changed);
    mutex_destroy(&s->lock);
}
