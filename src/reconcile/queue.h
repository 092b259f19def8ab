/*
 * The queue of objects that want a pass: who is next, who waits, and for what.
 *
 * The rules of client-go's work queue: an object is in it once, however often it is added; no two workers have it at once; what
 * is added while it is worked on comes again afterwards; failures of one object back off exponentially until they are forgotten.
 * On top of that: priorities, a limit of passes per second for all, and one circuit breaker per provider configuration, so that a
 * server that is down or an account that is throttled is asked by one object at a time, not by all of them.
 *
 * Any thread may call any function. Each costs O(log n) at most, whatever the number of objects (but for closing a breaker, which
 * lets go all objects that it held).
 */
#pragma once

#include "base/arena.h"
#include "base/clock.h"

/* Earlier ones go first; but of each eight passes a retry gets two and a poll one if there are any, so that none waits for ever.
 */
enum queue_priority {
    QUEUE_CHANGE, /* somebody changed something and looks at the screen */
    QUEUE_RETRY,
    QUEUE_POLL,
    QUEUE_PRIORITIES,
};

struct queue_options {
    const struct clock *clock;
    int64_t backoff_min_ns, backoff_max_ns; /* of one object: doubles from one to the other */
    unsigned rate, burst;                   /* passes per second for all objects, and at once; 0: no limit */
    unsigned breaker_failures;              /* so many in a row open the breaker of a configuration; 0: never */
    int64_t breaker_min_ns, breaker_max_ns; /* how long it stays open: doubles from one to the other */
    uint64_t seed;                          /* for jitter */
};
#define QUEUE_DEFAULTS                                                                                                           \
    ((struct queue_options){.clock = &system_clock,                                                                              \
                            .backoff_min_ns = NS_PER_S,                                                                          \
                            .backoff_max_ns = 60 * NS_PER_S,                                                                     \
                            .rate = 1000,                                                                                        \
                            .burst = 10000,                                                                                      \
                            .breaker_failures = 5,                                                                               \
                            .breaker_min_ns = 5 * NS_PER_S,                                                                      \
                            .breaker_max_ns = 60 * NS_PER_S})

struct queue;
struct queue *queue_new(const struct queue_options *options);
/* No worker may be in it any more; NULL is accepted. */
void queue_free(struct queue *q);

/* `key` names the object, `config` its provider configuration (empty: none, no breaker). Both are copied. */
void queue_add(struct queue *q, struct str key, struct str config, enum queue_priority priority);
/* Of several delays of one object the one that ends first counts. They all end when it is taken: the pass says what comes next.
 */
void queue_add_after(struct queue *q, struct str key, struct str config, enum queue_priority priority, int64_t delay_ns);
/* A poll after `interval_ns`, up to `jitter_ns` earlier or later. */
void queue_add_poll(struct queue *q, struct str key, struct str config, int64_t interval_ns, int64_t jitter_ns);
/* After its backoff, which grows. */
void queue_retry(struct queue *q, struct str key, struct str config);
/* The next failure is the first again. */
void queue_forget(struct queue *q, struct str key);

struct queue_item {
    struct str key, config; /* valid until queue_done() */
    enum queue_priority priority;
    unsigned failures; /* in a row so far */
    int64_t waited_ns; /* for a worker, since it was ready */
};
enum queue_taken {
    QUEUE_TAKEN,
    QUEUE_TIMEOUT,
    QUEUE_CLOSED, /* nothing will come any more: the worker may end */
    QUEUE_HELD,   /* an object that somebody changed or that is tried again, but its breaker is open: say so in its status
                     (queue_waits_for, reconcile_wait), then queue_done(). Once for each opening. */
};
/*
 * The next object, as soon as there is one. Waits until `deadline` at most: NO_DEADLINE waits for ever, a moment that has passed
 * does not wait. With a clock of a test do not wait: nobody moves it meanwhile.
 */
enum queue_taken queue_take(struct queue *q, int64_t deadline, struct queue_item *ret);
/* The worker has finished with it. It comes again if it was added meanwhile. */
void queue_done(struct queue *q, struct str key);

/* --- circuit breakers --- */

/*
 * How the last use of a configuration went, as far as the configuration is concerned: an object that is wrong by itself is no
 * failure of its configuration. `why` is for people; empty: it worked. After `breaker_failures` in a row the objects of this
 * configuration are held; then one is let through, and its report decides: all, or twice the time. Report before queue_done().
 */
void queue_report(struct queue *q, struct str config, struct str why);
/* It was corrected: one object tries now. */
void queue_config_changed(struct queue *q, struct str config);
/*
 * What objects of this configuration wait for, as a sentence for their conditions that calls it `title`; empty when they do not
 * wait. Cut to QUEUE_MAX_WHY bytes of the reason.
 */
enum { QUEUE_MAX_WHY = 512 };
struct str queue_waits_for(struct arena *a, struct queue *q, struct str config, struct str title);

/* --- the end --- */

/* Nothing is taken in any more, delays are dropped, and so is what a breaker holds. With `drain`, workers get what is ready now;
 * without, nothing more. */
void queue_shut_down(struct queue *q, bool drain);
/* Waits until no object is worked on (and, when it was drained, none is left). False: the deadline has passed. */
bool queue_wait_idle(struct queue *q, int64_t deadline);

struct queue_counts {
    size_t ready[QUEUE_PRIORITIES]; /* waiting for a worker */
    size_t delayed, held, working;  /* held: by a breaker */
    size_t known;                   /* objects it remembers, for whatever reason */
    uint64_t opened;                /* so far: breakers that were closed before */
    uint64_t added, retries; /* so far, as client-go counts: what was in the queue already is not added again; with a delay */
    int64_t unfinished_ns;   /* since when all that is worked on is, summed up */
};
struct queue_counts queue_counts(struct queue *q);
