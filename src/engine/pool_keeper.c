/*
 * The keeper, a timer of the loop: it ends idle processes, and has StopProvider sent to processes with a call that should have
 * ended and has not. It only decides; slow work is done by the workers.
 */
#include "engine/pool_private.h"

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/*
 * When StopProvider is due for this process: for the first call that is to be stopped, or again for calls that did not end after
 * the last one.
 */
LOCKED static int64_t stop_due(const struct pool_process *p)
{
    int64_t due = p->stop_again == NO_DEADLINE || p->n_leases == 0 ? INT64_MAX : p->stop_again;
    for (unsigned i = 0; p->n_stops > 0 && i < p->pool->options.max_calls; i++)
        if (p->slots[i].stop_at != NO_DEADLINE)
            due = earlier(due, p->slots[i].stop_at);
    return due;
}

LOCKED static int64_t idle_due(const struct pool_process *p)
{
    int64_t idle_ns = p->pool->options.idle_ns;
    return idle_ns > 0 && p->n_leases == 0 && p->state == PROCESS_LENDING ? p->idle_since + idle_ns : INT64_MAX;
}

/* Does what is due, and returns when something is due next. The process may have been ended afterwards. */
LOCKED static int64_t look_at(struct pool_process *p, int64_t now)
{
    int64_t stop = stop_due(p), idle = idle_due(p);
    if (stop <= now) {
        pool_process_stop(p);
        return INT64_MAX;
    }
    if (idle <= now) {
        log_debug(p->pool->options.log, "provider ended for idleness", LOG_STR("provider", p->owner->source.address));
        pool_process_retire(p);
        return INT64_MAX;
    }
    return earlier(stop, idle);
}

LOCKED static int64_t look_at_all(struct pool *pool)
{
    int64_t now = clock_now(&system_clock), due = INT64_MAX;
    for (struct pool_process *p = pool->processes, *next; p; p = next) {
        next = p->next;
        due = earlier(due, look_at(p, now));
    }
    return due;
}

static void keep(void *arg)
{
    struct pool *pool = arg;
    pool_lock(pool);
    pool->keeper_due = INT64_MAX;
    keeper_expect(pool, look_at_all(pool));
    pool_unlock(pool);
}

void keeper_expect(struct pool *pool, int64_t at)
{
    if (at >= pool->keeper_due || pool->closing)
        return;
    pool->keeper_due = at;
    loop_timer_set(pool->keeper, at);
}

void keeper_start(struct pool *pool)
{
    pool->keeper_due = INT64_MAX;
    pool->keeper = loop_timer_new(pool->options.loop, keep, pool);
}

void keeper_end(struct pool *pool)
{
    pool_lock(pool);
    pool->closing = true;
    pool_unlock(pool);
    loop_timer_free(pool->keeper);
}
