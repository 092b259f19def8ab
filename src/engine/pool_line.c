/*
 * Waiting, for a turn in a line or until a time, bounded by the waiting thread's own deadline and cancellation.
 *
 * A cancellation may fire on any thread, and its callback takes the pool's lock to wake the waiter. Unwatching waits for a
 * running callback, so cancel_watch() and cancel_unwatch() are called without the lock.
 */
#include "base/lock.h"
#include "engine/pool_private.h"

#include <errno.h>

void pool_lock(struct pool *pool)
{
    mutex_lock(&pool->lock);
}

void pool_unlock(struct pool *pool)
{
    mutex_unlock(&pool->lock);
}

bool wait_is_over(const pool_wait *wait)
{
    return cancel_fired(wait->cancel) || (wait->deadline != NO_DEADLINE && clock_now(&system_clock) >= wait->deadline);
}

/* ---- the line ---- */

static void waiter_init(struct waiter *me, struct pool *pool, struct diags *diags)
{
    *me = (struct waiter){.pool = pool, .diags = diags};
    cond_init(&me->changed);
}

void line_join(struct line *line, struct waiter *me, struct pool *pool, struct diags *diags)
{
    waiter_init(me, pool, diags);
    if (line->last)
        line->last->next = me;
    else
        line->first = me;
    line->last = me;
}

static void leave(struct line *line, struct waiter *me)
{
    struct waiter *before = NULL;
    for (struct waiter *w = line->first; w != me; w = w->next)
        before = w;
    if (before)
        before->next = me->next;
    else
        line->first = me->next;
    if (line->last == me)
        line->last = before;
}

void line_give(struct line *line, enum line_turn turn, struct slot *slot)
{
    struct waiter *first = line->first;
    leave(line, first);
    first->turn = turn;
    first->slot = slot;
    /* Signalled under the lock: as soon as the waiter has the lock, it may free its memory. */
    cond_signal(&first->changed);
}

void line_fail_all(struct line *line, enum engine_status status, const struct diags *why)
{
    while (line->first) {
        line->first->status = status;
        diags_append(line->first->diags, why);
        line_give(line, TURN_FAILED, NULL);
    }
}

/* ---- waiting ---- */

static void wake(void *arg)
{
    struct waiter *w = arg;
    pool_lock(w->pool);
    cond_signal(&w->changed);
    pool_unlock(w->pool);
}

/* Sleeps until the waiter gets its turn, the time `until`, or cancellation. */
LOCKED static void doze(struct waiter *me, int64_t until, struct cancel *cancel)
{
    struct pool *pool = me->pool;
    struct cancel_watch watch = {.fn = wake, .arg = me};
    pool_unlock(pool);
    cancel_watch(cancel, &watch);
    pool_lock(pool);
    while (me->turn == TURN_AWAITED && !cancel_fired(cancel) && cond_wait(&me->changed, &pool->lock, until))
        ;
    pool_unlock(pool);
    cancel_unwatch(cancel, &watch);
    pool_lock(pool);
}

static enum engine_status give_up(struct str name, const pool_wait *wait, struct diags *diags)
{
    if (cancel_fired(wait->cancel)) {
        diags_fail(diags, "Cancelled", "waiting for provider \"" STR_FMT "\" was cancelled.", STR_ARG(name));
        return ENGINE_CANCELLED;
    }
    diags_fail(diags, "Provider took too long", "provider \"" STR_FMT "\" was not ready for another call in time.",
               STR_ARG(name));
    return ENGINE_LOST;
}

enum line_turn line_wait(struct line *line, struct waiter *me, struct str name, const pool_wait *wait)
{
    if (me->turn == TURN_AWAITED)
        doze(me, wait->deadline, wait->cancel);
    if (me->turn == TURN_AWAITED) {
        leave(line, me);
        me->turn = TURN_FAILED;
        me->status = give_up(name, wait, me->diags);
    }
    cond_destroy(&me->changed);
    return me->turn;
}

enum engine_status pool_pause(struct pool *pool, int64_t until, struct str name, const pool_wait *wait, struct diags *diags)
{
    struct waiter me;
    bool bounded = wait->deadline != NO_DEADLINE && wait->deadline < until;
    waiter_init(&me, pool, diags);
    if (clock_now(&system_clock) < until)
        doze(&me, bounded ? wait->deadline : until, wait->cancel);
    cond_destroy(&me.changed);
    return clock_now(&system_clock) < until ? give_up(name, wait, diags) : ENGINE_OK;
}
