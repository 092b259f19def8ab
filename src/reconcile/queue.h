/*
 * The queue of objects that need a pass: which is next, which wait, and for what.
 *
 * The rules are those of client-go's work queue: an object is in it at most once, however often it is added; no two workers have
 * the same object at once; an object that is added while a worker has it comes again afterwards; failures of an object back off
 * exponentially until they are forgotten. In addition there are priorities, a limit of passes per second for all objects, and one
 * circuit breaker per provider configuration, so that a server that is down or an account that is throttled gets requests for one
 * object at a time, not for all.
 *
 * Any thread may call any function. Each costs O(log n) at most for n objects, except for closing a breaker, which releases all
 * objects that it held.
 */
#pragma once

#include "base/arena.h"
#include "base/clock.h"

/*
 * Earlier ones go first. But of every eight passes, two are reserved for retries and one for polls if there are any, so that none
 * starves.
 */
enum queue_priority {
    QUEUE_CHANGE, /* somebody made a change and is waiting for its effect */
    QUEUE_RETRY,
    QUEUE_POLL,
    QUEUE_PRIORITIES,
};

struct queue_options {
    const struct clock *clock;
    int64_t backoff_min_ns, backoff_max_ns; /* of one object: doubles from min to max */
    unsigned rate, burst;                   /* passes per second for all objects, and how many at once; 0: no limit */
    unsigned breaker_failures;              /* so many failures in a row open a configuration's breaker; 0: never */
    int64_t breaker_min_ns, breaker_max_ns; /* how long a breaker stays open: doubles from min to max */
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
/* No worker may use the queue any more; NULL is accepted. */
void queue_free(struct queue *q);

/* `key` identifies the object, `config` its provider configuration (empty: none, no breaker). Both are copied. */
void queue_add(struct queue *q, struct str key, struct str config, enum queue_priority priority);
/*
 * Of several delays of one object, the one that ends first counts. All are dropped when the object is taken: its pass decides
 * what comes next.
 */
void queue_add_after(struct queue *q, struct str key, struct str config, enum queue_priority priority, int64_t delay_ns);
/* Adds a poll after `interval_ns`, give or take up to `jitter_ns`. */
void queue_add_poll(struct queue *q, struct str key, struct str config, int64_t interval_ns, int64_t jitter_ns);
/* Adds the object after its backoff, and increases the backoff. */
void queue_retry(struct queue *q, struct str key, struct str config);
/* Resets the object's backoff. */
void queue_forget(struct queue *q, struct str key);

struct queue_item {
    struct str key, config; /* valid until queue_done() */
    enum queue_priority priority;
    unsigned failures; /* in a row, so far */
    int64_t waited_ns; /* how long it was ready and waited for a worker */
};
enum queue_taken {
    QUEUE_TAKEN,
    QUEUE_TIMEOUT,
    QUEUE_CLOSED, /* nothing will come any more; the worker may end */
    /*
     * A changed or retried object whose breaker is open: show that in its status (queue_waits_for, reconcile_wait), then call
     * queue_done(). Returned once per object each time the breaker opens.
     */
    QUEUE_HELD,
};
/*
 * Takes the next object, and waits for one until `deadline` at most: NO_DEADLINE waits for ever, a time in the past does not
 * wait. With a fake clock do not wait, because nobody advances it meanwhile.
 */
enum queue_taken queue_take(struct queue *q, int64_t deadline, struct queue_item *ret);
/* The worker has finished with the object. It becomes ready again if it was added meanwhile. */
void queue_done(struct queue *q, struct str key);

/* --- circuit breakers --- */

/*
 * Reports how the last use of a configuration went. An object that is wrong by itself is no failure of its configuration. `why`
 * is a message for people; empty: success. After `breaker_failures` failures in a row, the objects of the configuration are held;
 * after a while one is let through, and its report decides: all are released, or the wait doubles. Call it before queue_done().
 */
void queue_report(struct queue *q, struct str config, struct str why);
/* The configuration was changed: let one object try now. */
void queue_config_changed(struct queue *q, struct str config);
/*
 * What objects of this configuration wait for, as a sentence for their conditions that calls the configuration `title`; empty:
 * they do not wait. The reason is cut to QUEUE_MAX_WHY bytes.
 */
enum { QUEUE_MAX_WHY = 512 };
struct str queue_waits_for(struct arena *a, struct queue *q, struct str config, struct str title);

/* --- shutdown --- */

/*
 * Nothing is added any more; delayed and held objects are dropped. With `drain`, workers still get the objects that are ready
 * now.
 */
void queue_shut_down(struct queue *q, bool drain);
/* Waits until no worker has an object (and, with `drain`, no object is left). False: the deadline has passed. */
bool queue_wait_idle(struct queue *q, int64_t deadline);

struct queue_counts {
    size_t ready[QUEUE_PRIORITIES]; /* waiting for a worker */
    size_t delayed, held, working;  /* held: by a breaker */
    size_t known;                   /* all objects that the queue remembers, for whatever reason */
    uint64_t opened;                /* breakers opened so far; a reopening after a failed try does not count */
    uint64_t added, retries; /* so far, as client-go counts: what was in the queue already is not added; retries: with a delay */
    int64_t unfinished_ns;   /* the time since workers took the objects they have now, summed up */
};
struct queue_counts queue_counts(struct queue *q);
