/*
 * What happens by itself: processes that nobody uses are ended, and those that hold a call for too long which is to end are told
 * to stop. The keeper's thread only decides; it looks when the next thing is due, and never does what takes time.
 */
#include "engine/pool_private.h"

#include <signal.h>
#include <stdlib.h>

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* When the first call of this process is to be stopped. */
LOCKED static int64_t stop_due(const struct pooled *p)
{
    int64_t due = INT64_MAX;
    for (unsigned i = 0; p->n_stops > 0 && i < p->pool->options.max_calls; i++)
        if (p->slots[i].stop_at != NO_DEADLINE)
            due = earlier(due, p->slots[i].stop_at);
    return due;
}

LOCKED static int64_t idle_due(const struct pooled *p)
{
    int64_t idle_ns = p->pool->options.idle_ns;
    return idle_ns > 0 && p->n_leases == 0 && p->state == POOLED_LENDING ? p->idle_since + idle_ns : INT64_MAX;
}

/* Does what is due; returns when something is next. The process may be gone afterwards. */
LOCKED static int64_t look_at(struct pooled *p, int64_t now)
{
    int64_t stop = stop_due(p), idle = idle_due(p);
    if (stop <= now) {
        pooled_stop(p);
        return INT64_MAX;
    }
    if (idle <= now) {
        log_debug(p->pool->options.log, "provider ended for idleness", LOG_STR("provider", p->warm->source.address));
        pooled_retire(p);
        return INT64_MAX;
    }
    return earlier(stop, idle);
}

LOCKED static int64_t look_at_all(struct pool *pool)
{
    int64_t now = clock_now(&system_clock), due = INT64_MAX;
    for (struct pooled *p = pool->processes, *next; p; p = next) {
        next = p->next;
        due = earlier(due, look_at(p, now));
    }
    return due;
}

static void *keep(void *arg)
{
    struct pool *pool = arg;
    pool_lock(pool);
    while (!pool->closing) {
        pool->keeper_due = look_at_all(pool);
        (void)cond_wait(&pool->keeper_wake, &pool->lock, pool->keeper_due == INT64_MAX ? NO_DEADLINE : pool->keeper_due);
    }
    pool_unlock(pool);
    return NULL;
}

void keeper_expect(struct pool *pool, int64_t at)
{
    if (at >= pool->keeper_due)
        return;
    pool->keeper_due = at;
    (void)pthread_cond_signal(&pool->keeper_wake);
}

void keeper_start(struct pool *pool)
{
    cond_init(&pool->keeper_wake);
    pool->keeper_due = INT64_MAX;
    /* A thread inherits the mask: signals stay with the main thread. */
    sigset_t all, old;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &old);
    int error = pthread_create(&pool->keeper, NULL, keep, pool);
    (void)pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (error != 0)
        abort(); /* as workers_new() does */
}

void keeper_end(struct pool *pool)
{
    pool_lock(pool);
    pool->closing = true;
    (void)pthread_cond_signal(&pool->keeper_wake);
    pool_unlock(pool);
    (void)pthread_join(pool->keeper, NULL);
    (void)pthread_cond_destroy(&pool->keeper_wake);
}
