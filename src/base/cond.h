/*
 * Conditions whose waits end at a moment of the monotonic clock, as all deadlines here do.
 */
#pragma once

#include "base/clock.h"

#include <errno.h>
#include <pthread.h>

static inline void cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    (void)pthread_cond_init(cond, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

/* False: the moment has come (NO_DEADLINE never does). As with any condition, true may mean nothing. */
static inline bool cond_wait(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t until)
{
    const struct timespec moment = {.tv_sec = until / NS_PER_S, .tv_nsec = until % NS_PER_S};
    int error = until == NO_DEADLINE ? pthread_cond_wait(cond, lock) : pthread_cond_timedwait(cond, lock, &moment);
    return error != ETIMEDOUT;
}
