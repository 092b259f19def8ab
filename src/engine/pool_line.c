/*
 * Waiting: in line for something, or for a moment; bounded by the waiting thread's own deadline and cancellation.
 *
 * A cancellation may fire on any thread and wakes the waiter under the pool's lock, so watching and unwatching (which waits for
 * the waking function) happen without it.
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
    /* Within the lock: once the waiter has it, its memory is nobody else's business. */
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

/* Until a turn comes, the moment does, or the cancellation. */
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
