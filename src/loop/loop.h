/*
 * The I/O loop: one thread that runs libuv. Which thread owns what (docs/concurrency.md has the full list):
 *
 *     the loop         child processes and their output, all timers, sockets of gRPC servers and of libcurl
 *     waiting callers  the socket of a gRPC client, under the client's lock; the loop watches it while no caller waits
 *     own threads      blocking reads: signals, connections of JSON-RPC and of the emulator
 *
 * Worker threads run straight-line code. They hand work to the loop with loop_post() and wait on a `struct completion`. The loop
 * never waits for workers and takes only locks that are held briefly. libuv handles (uv_*) are used on the loop's thread only.
 */
#pragma once

#include "base/clock.h"
#include "base/diag.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <uv.h>

struct loop;

/* Starts the thread, with all signals blocked in it. Aborts if the thread cannot be created. */
struct loop *loop_new(void);
/* Runs what has been posted, then ends the thread. The owners must have closed all handles before; NULL is accepted. */
void loop_free(struct loop *loop);

/* On the loop's thread only. */
uv_loop_t *loop_uv(struct loop *loop);
bool loop_is_current(const struct loop *loop);

/* Runs fn(arg) on the loop's thread, in order of posting. From any thread; never blocks. */
void loop_post(struct loop *loop, void (*fn)(void *arg), void *arg);
/* The same, and returns when fn has returned. Not from the loop's thread. */
void loop_call(struct loop *loop, void (*fn)(void *arg), void *arg);

/* A timer that calls fn(arg) on the loop's thread. Any thread may set its time, also fn itself; if no time is set, fn is never
 * called. */
struct loop_timer;
/* Not from the loop's thread. */
struct loop_timer *loop_timer_new(struct loop *loop, void (*fn)(void *arg), void *arg);
/* Replaces the time set before; NO_DEADLINE: never. A call for a time that was set earlier may still come. Never blocks. */
void loop_timer_set(struct loop_timer *t, int64_t at);
/* After it returns, fn is not running and will not run. Not from the loop's thread; NULL is accepted. */
void loop_timer_free(struct loop_timer *t);

/* An event that happens once and that another thread waits for. */
struct completion {
    sem_t posted;     /* not a condition variable, whose waiter would wake up only to wait for the signaller's lock */
    atomic_bool done; /* gives ThreadSanitizer the memory ordering: it does not know sem_clockwait() */
};
void completion_init(struct completion *c);
void completion_destroy(struct completion *c);
/* When the waiter has returned it may destroy the completion: sem_post() does not access it after releasing the waiter. */
void completion_signal(struct completion *c);
/* False when the deadline (monotonic ns, NO_DEADLINE for none) passed first. */
bool completion_wait(struct completion *c, int64_t deadline);

/*
 * Cancellation across threads: Ctrl-C fires it, and calls in flight end early. Firing runs the subscribed functions once, on the
 * firing thread; a function subscribed after that runs immediately.
 */
struct cancel;
struct cancel *cancel_new(void);
void cancel_free(struct cancel *c);
void cancel_fire(struct cancel *c);
bool cancel_fired(const struct cancel *c); /* NULL: false */
/* After cancel_fire() has returned: as new. */
void cancel_reset(struct cancel *c);
struct cancel_watch {
    void (*fn)(void *arg);
    void *arg;
    struct cancel_watch *prev, *next; /* private */
};
/* NULL `c` is allowed and never fires. */
void cancel_watch(struct cancel *c, struct cancel_watch *watch);
/* After it returns, fn is not running and will not run. Not from within fn. */
void cancel_unwatch(struct cancel *c, struct cancel_watch *watch);
