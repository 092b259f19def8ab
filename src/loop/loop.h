/*
 * The I/O loop: one thread, run by libuv. Who owns what (docs/concurrency.md has the whole of it):
 *
 *     the loop        child processes and their output, all timers, sockets of gRPC servers and of libcurl
 *     whoever waits   the socket of a gRPC client, under the client's lock; the loop watches it while nobody waits
 *     its own thread  what is read blocking: signals, connections of JSON-RPC and of the emulator
 *
 * Worker threads run straight-line code. They hand work to the loop with loop_post() and wait on a `struct completion`; the
 * loop never waits for them, and takes locks only that are held for moments. Handles (uv_*) are touched on the loop's thread
 * only.
 */
#pragma once

#include "base/clock.h"
#include "base/diag.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <uv.h>

struct loop;

/* Starts the thread; all signals are blocked in it. Aborts if the machine cannot give a thread. */
struct loop *loop_new(void);
/* Runs what is posted, then ends the thread. Every handle must have been closed by its owner; NULL is accepted. */
void loop_free(struct loop *loop);

/* On the loop's thread only. */
uv_loop_t *loop_uv(struct loop *loop);
bool loop_is_current(const struct loop *loop);

/* Runs fn(arg) on the loop's thread, in order of posting. From any thread; never blocks. */
void loop_post(struct loop *loop, void (*fn)(void *arg), void *arg);
/* The same, and returns when fn has returned. Not from the loop's thread. */
void loop_call(struct loop *loop, void (*fn)(void *arg), void *arg);

/* Calls fn(arg) on the loop's thread at a moment that any thread may set, also fn itself; not set: never. */
struct loop_timer;
/* Not from the loop's thread. */
struct loop_timer *loop_timer_new(struct loop *loop, void (*fn)(void *arg), void *arg);
/* Instead of the moment set before; NO_DEADLINE: never. Not exact: a call for an earlier moment may still come. Never blocks. */
void loop_timer_set(struct loop_timer *t, int64_t at);
/* After it returns, fn is not running and will not run. Not from the loop's thread; NULL is accepted. */
void loop_timer_free(struct loop_timer *t);

/* Something another thread waits for, once. */
struct completion {
    sem_t posted;     /* not a condition: its waiter would wake up only to wait for the lock that the signaller holds */
    atomic_bool done; /* orders memory in the eyes of ThreadSanitizer, which does not know sem_clockwait() */
};
void completion_init(struct completion *c);
void completion_destroy(struct completion *c);
/* Once a waiter has returned, the completion may be destroyed: sem_post() does not look at it after it let the waiter go. */
void completion_signal(struct completion *c);
/* False when the deadline (monotonic ns, NO_DEADLINE for none) passed first. */
bool completion_wait(struct completion *c, int64_t deadline);

/*
 * Cancellation that crosses threads: Ctrl-C fires it, calls in flight end early. Firing runs the subscribed functions once,
 * on the firing thread; a subscription made after that runs at once.
 */
struct cancel;
struct cancel *cancel_new(void);
void cancel_free(struct cancel *c);
void cancel_fire(struct cancel *c);
bool cancel_fired(const struct cancel *c); /* NULL: false */
struct cancel_watch {
    void (*fn)(void *arg);
    void *arg;
    struct cancel_watch *prev, *next; /* private */
};
/* NULL `c` is allowed and never fires. */
void cancel_watch(struct cancel *c, struct cancel_watch *watch);
/* After it returns, fn is not running and will not run. Not from within fn. */
void cancel_unwatch(struct cancel *c, struct cancel_watch *watch);
