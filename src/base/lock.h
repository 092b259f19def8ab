/*
 * Mutexes and condition variables. Their functions fail only when they are used wrongly, so only this header checks for errors.
 *
 *     mutex_lock(&pool->lock);
 *     while (pool->n > 0 && cond_wait(&pool->emptied, &pool->lock, deadline))
 *         ;
 *     mutex_unlock(&pool->lock);
 *
 *     MUTEX_GUARD(&pool->lock);       unlocked at the end of the block, however it is left
 *
 * Deadlines are times of the monotonic clock, as everywhere in Terrane.
 */
#pragma once

#include "base/clock.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>

/* Asserts that a call succeeded which fails only when it is used wrongly (checked in debug builds only). */
static inline void lock_check(int error)
{
    (void)error;
    assert(error == 0);
}

static inline void mutex_init(pthread_mutex_t *m)
{
    lock_check(pthread_mutex_init(m, NULL));
}

static inline void mutex_destroy(pthread_mutex_t *m)
{
    lock_check(pthread_mutex_destroy(m));
}

static inline void mutex_lock(pthread_mutex_t *m)
{
    lock_check(pthread_mutex_lock(m));
}

static inline void mutex_unlock(pthread_mutex_t *m)
{
    lock_check(pthread_mutex_unlock(m));
}

static inline pthread_mutex_t *mutex_guard_begin(pthread_mutex_t *m)
{
    mutex_lock(m);
    return m;
}

static inline void mutex_guard_end(pthread_mutex_t **m)
{
    mutex_unlock(*m);
}

/* At most one per block. */
#define MUTEX_GUARD(m) pthread_mutex_t *mutex_guard __attribute__((cleanup(mutex_guard_end), unused)) = mutex_guard_begin(m)

static inline void cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    lock_check(pthread_condattr_init(&attributes));
    lock_check(pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC));
    lock_check(pthread_cond_init(cond, &attributes));
    lock_check(pthread_condattr_destroy(&attributes));
}

static inline void cond_destroy(pthread_cond_t *cond)
{
    lock_check(pthread_cond_destroy(cond));
}

/* False when the deadline has passed (never with NO_DEADLINE). As with any condition variable, true may be a spurious wakeup. */
static inline bool cond_wait(pthread_cond_t *cond, pthread_mutex_t *m, int64_t until)
{
    const struct timespec moment = {.tv_sec = until / NS_PER_S, .tv_nsec = until % NS_PER_S};
    int error = until == NO_DEADLINE ? pthread_cond_wait(cond, m) : pthread_cond_timedwait(cond, m, &moment);
    return error != ETIMEDOUT;
}

/* Wake one waiting thread, if any; or all of them. */
static inline void cond_signal(pthread_cond_t *cond)
{
    lock_check(pthread_cond_signal(cond));
}

static inline void cond_broadcast(pthread_cond_t *cond)
{
    lock_check(pthread_cond_broadcast(cond));
}
