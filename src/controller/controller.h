/*
 * The controller: keeps what the objects in a store stand for as the objects want it.
 *
 *     struct controller *c = controller_new(&options);
 *     controller_start(c, diags);                 // what an earlier process left under way is sorted out; workers begin
 *     ...                                         // objects are created, changed, deleted in the store by anybody
 *     controller_stop(c, deadline);               // no new passes; operations under way are awaited until then
 *     controller_free(c);
 *
 * It reacts to changes of managed objects, and of the Secrets, ProviderConfigs and other objects they depend on. It knows no
 * manifests, files or commands, and nothing of the store but its interface: the same code serves a folder and a cluster. Objects
 * must have been admitted (defaults, validation) by whoever put them into the store.
 *
 * Objects are not kept in memory: of each a few hundred bytes are (who it is, how it is, what it uses). What must outlive the
 * process is in the store: beside the object itself the last known state of its resource, and the journal, as Secrets in the
 * namespace CONTROLLER_NAMESPACE.
 *
 * All functions may be called from any thread.
 */
#pragma once

#include "base/clock.h"
#include "base/log.h"
#include "controller/kinds.h"
#include "reconcile/queue.h"
#include "scheduler/scheduler.h"
#include "store/store.h"

/* Where the controller keeps its own Secrets, and the label that tells for what: "state" or "journal". */
#define CONTROLLER_NAMESPACE "terrane-system"
#define CONTROLLER_LABEL "terrane/record"

/* Annotation of a ProviderConfig: which scheduler its objects use, "grpc" or "cli". */
#define CONTROLLER_SCHEDULER "terrane/scheduler"
/* Annotation of a managed object: "true" allows to destroy and create anew what an update cannot change. */
#define CONTROLLER_REPLACE "terrane/allow-replacement"

enum controller_backend { CONTROLLER_GRPC, CONTROLLER_CLI, CONTROLLER_BACKENDS };

/* How an object is, after a pass or the end of an operation. */
struct controller_news {
    const struct kind *kind;
    struct str namespace, name; /* namespace: empty for cluster-scoped kinds */
    bool gone;                  /* the object is no longer in the store; nothing below counts */
    bool ready, synced, paused; /* Ready and Synced are True; by its conditions */
    bool deleting;
    struct str ready_reason, synced_reason; /* empty: no such condition yet */
    struct str message;                     /* why it is not synced, in the words of its condition */
};
/* By a worker, with no lock held; what it points to lasts until it returns. It must be short. */
typedef void controller_listener(void *ctx, const struct controller_news *news);

/* Times that are nobody's work, so that no log tells them. */
enum controller_time {
    CONTROLLER_DRIFT,  /* from when an object was last as it should be to its update: so long it was, at most, different */
    CONTROLLER_WAITED, /* an object for a worker; of no kind */
    CONTROLLER_WORKED, /* a worker on an object; of no kind */
    CONTROLLER_DELAY,  /* from when the next look at an object was due to when it began; 0 for one that came earlier */
    CONTROLLER_FIRST_RECONCILE, /* from the creation of an object to the end of its first pass */
    CONTROLLER_FIRST_READY,     /* from its creation until it was Ready, if its first pass was this process's */
    CONTROLLER_DELETION,        /* from its deletion until its finalizer went */
};
/* By a worker, with no lock held. It must be short. */
typedef void controller_timer(void *ctx, const struct kind *kind, enum controller_time what, int64_t ns);

struct controller_options {
    struct store *store; /* the caller's; must outlive the controller, as all below */
    struct kinds *kinds;
    struct scheduler *schedulers[CONTROLLER_BACKENDS]; /* NULL: there is none of this sort */
    enum controller_backend backend;                   /* used where a ProviderConfig does not say another; must be there */
    struct log *log;                                   /* may be NULL */
    const struct clock *clock;                         /* NULL: the machine's */
    int64_t poll_ns;                                   /* between two looks at an object that is fine; 0: ten minutes */
    unsigned workers;                                  /* passes at once; 0: CONTROLLER_WORKERS */
    unsigned rate;                                     /* passes a second for all; 0: the queue's own */
    int64_t backoff_min_ns, backoff_max_ns;            /* of an object that fails; 0: the queue's own */
    /*
     * Requests to the store are dear: what a turn writes of an object is gathered and sent at its end (the mark of a creation
     * before it begins, as always), short operations are waited for, and the journal has only creations that nothing else could
     * tell about after a crash.
     */
    bool sparing;
    /*
     * Of several processes on one store each has its own objects: is this one's, by the number that controller_shard() or `shard`
     * gives it? May change at any time; controller_take() says that there may be more, controller_held() what is still worked on.
     * NULL: all are.
     */
    bool (*owns)(void *ctx, uint64_t shard);
    uint64_t (*shard)(void *ctx, const struct store_key *key, const struct json *object); /* NULL: controller_shard() */
    void *owns_ctx;
    controller_listener *listener; /* may be NULL */
    void *listener_ctx;
    controller_timer *timer; /* may be NULL */
    void *timer_ctx;
};
enum { CONTROLLER_WORKERS = 16 };
#define CONTROLLER_POLL_NS (600 * NS_PER_S)

struct controller;
struct controller *controller_new(const struct controller_options *options);
/* Stops it first if nobody has. NULL is accepted. */
void controller_free(struct controller *c);

/*
 * Sorts out what the journal has, takes in all objects, starts the threads. False and a diagnostic: the store cannot be read, or
 * somebody else reconciles it. What cannot be sorted out for one object is a warning in the log and does not keep the others.
 */
bool controller_start(struct controller *c, struct diags *diags);
/*
 * No pass begins any more, those under way are awaited. Operations under way are awaited until `deadline` (their results are
 * stored and reported); what is not done then is told to stop and found by the next start in the journal. Returns true when
 * nothing was left.
 */
bool controller_stop(struct controller *c, int64_t deadline);

/*
 * Look at this object now, or (name empty) at all of its kind, or (kind NULL) at all: for those who know that something outside
 * has changed.
 */
void controller_poke(struct controller *c, const struct kind *kind, struct str namespace, struct str name);

/* The number of an object by its name, the same in every process. */
uint64_t controller_shard(const struct store_key *key);
/* More objects may be ours: they are taken in. What the journal has of an object is sorted out at its first turn. */
bool controller_take(struct controller *c, struct diags *diags);
/* Objects that are not ours and still worked on, or have an operation under way: how many, and the first `max` of them. */
size_t controller_held(struct controller *c, uint64_t *ret, size_t max);

/* Are we there yet? Every managed object is counted in exactly one of the four. */
struct controller_progress {
    size_t ready;   /* Ready and Synced, nothing under way */
    size_t paused;  /* on purpose */
    size_t failing; /* the last `tries` passes failed, or it waits for something that only a person can give */
    size_t
        moving; /* all others: not looked at yet since its last change, an operation under way, or failing for the first time */
};
struct controller_progress controller_progress(struct controller *c, unsigned tries);
/* Waits until nothing moves; false: the deadline has passed. */
bool controller_wait(struct controller *c, unsigned tries, int64_t deadline);

/* For metrics. */
struct controller_counts {
    struct queue_counts queue;
    size_t workers;
    size_t objects, uses;       /* that are known, and edges between them and what they use */
    size_t operations;          /* under way */
    uint64_t passes, failed;    /* passes so far, and those of them with an error */
    uint64_t begun[3], lost[3]; /* operations begun and failed, by enum reconcile_operation */
    uint64_t recovered;         /* records of the journal that were found at the start */
    uint64_t changes;           /* seen by the watch */
};
struct controller_counts controller_count(struct controller *c);
