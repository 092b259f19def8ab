/*
 * The controller: keeps external resources as the managed objects in a store want them.
 *
 *     struct controller *c = controller_new(&options);
 *     controller_start(c, diags);                 // recovers what an earlier process left under way; starts the workers
 *     ...                                         // anybody creates, changes and deletes objects in the store
 *     controller_stop(c, deadline);               // no new passes; waits for operations under way until the deadline
 *     controller_free(c);
 *
 * It reacts to changes of managed objects, and of the Secrets, ProviderConfigs and other objects they depend on. It knows no
 * manifests, files or commands, and uses the store only through its interface: the same code serves a folder and a cluster.
 * Whoever writes objects into the store must have admitted them (defaults, validation).
 *
 * Objects are not kept in memory, only a few hundred bytes of each (identity, condition, what it uses). What must outlive the
 * process is in the store: the objects, and beside them the last known state of each resource and the journal, as Secrets in the
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

/* The namespace of the controller's own Secrets, and their label, which is "state" or "journal". */
#define CONTROLLER_NAMESPACE "terrane-system"
#define CONTROLLER_LABEL "terrane/record"

/* Annotation of a ProviderConfig: the scheduler for its objects, "grpc" or "cli". */
#define CONTROLLER_SCHEDULER "terrane/scheduler"
/* Annotation of a managed object: "true" allows to destroy and recreate the resource when an update is impossible. */
#define CONTROLLER_REPLACE "terrane/allow-replacement"

enum controller_backend { CONTROLLER_GRPC, CONTROLLER_CLI, CONTROLLER_BACKENDS };

/* The condition of an object after a pass or after the end of an operation. */
struct controller_news {
    const struct kind *kind;
    struct str namespace, name; /* namespace: empty for cluster-scoped kinds */
    bool gone;                  /* the object is no longer in the store; the fields below are not set */
    bool ready, synced, paused; /* by its conditions: Ready and Synced are True */
    bool deleting;
    struct str ready_reason, synced_reason; /* empty: the condition does not exist yet */
    struct str message;                     /* why it is not synced: the message of its condition */
};
/* Called by a worker, without a lock; `news` is valid only during the call. It must be short. */
typedef void controller_listener(void *ctx, const struct controller_news *news);

/* Times between events, which no log entry has. */
enum controller_time {
    CONTROLLER_DRIFT,  /* from when the object was last known to be up to date to its update: at most so long was it different */
    CONTROLLER_WAITED, /* how long an object waited for a worker; kind NULL */
    CONTROLLER_WORKED, /* how long a worker had an object; kind NULL */
    CONTROLLER_DELAY,  /* from when the next poll of an object was due to when it began; 0 if it began earlier */
    CONTROLLER_FIRST_RECONCILE, /* from the creation of the object to the end of its first pass */
    CONTROLLER_FIRST_READY,     /* from its creation until it was Ready, if this process made its first pass */
    CONTROLLER_DELETION,        /* from its deletion until its finalizer was removed */
};
/* Called by a worker, without a lock. It must be short. */
typedef void controller_timer(void *ctx, const struct kind *kind, enum controller_time what, int64_t ns);

struct controller_options {
    struct store *store; /* belongs to the caller; must outlive the controller, as everything below */
    struct kinds *kinds;
    struct scheduler *schedulers[CONTROLLER_BACKENDS]; /* NULL: not available */
    enum controller_backend backend;        /* the default where a ProviderConfig names none; must not be NULL in `schedulers` */
    struct log *log;                        /* may be NULL */
    const struct clock *clock;              /* NULL: the system clock */
    int64_t poll_ns;                        /* between two polls of an object that is up to date; 0: ten minutes */
    unsigned workers;                       /* concurrent passes; 0: CONTROLLER_WORKERS */
    unsigned rate;                          /* passes per second for all objects; 0: the queue's default */
    int64_t backoff_min_ns, backoff_max_ns; /* of an object that fails; 0: the queue's defaults */
    /*
     * Requests to the store are expensive: the writes of a turn are collected and sent at its end (except the pending mark of a
     * creation, which is always written first), the turn waits for short operations, and the journal records only creations whose
     * outcome could not be found otherwise after a crash.
     */
    bool sparing;
    /*
     * When several processes share a store, each has its own objects: does this process own the object with this shard number
     * (from `shard` or controller_shard())? The answer may change at any time; call controller_take() when there may be more
     * objects, and controller_held() to see which are still worked on. NULL: this process owns all.
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
/* Stops the controller first if nobody has. NULL is accepted. */
void controller_free(struct controller *c);

/*
 * Recovers from the journal, reads all objects, starts the threads. False with a diagnostic: the store cannot be read, or
 * somebody else reconciles it.
 */
bool controller_start(struct controller *c, struct diags *diags);
/*
 * Starts no new pass and waits for those under way. Waits for operations until `deadline` and stores and reports their results;
 * after that it asks the rest to stop, and the next start finds them in the journal. Returns true if nothing was left.
 */
bool controller_stop(struct controller *c, int64_t deadline);
/*
 * After the stop: tries again to store what operations have left, if the store did not take it then. Returns how many of them are
 * still not stored; controller_free() forgets those.
 */
size_t controller_keep(struct controller *c);

/*
 * Reconciles this object now, or (name empty) all objects of the kind, or (kind NULL) all: for callers who know that something
 * outside has changed.
 */
void controller_poke(struct controller *c, const struct kind *kind, struct str namespace, struct str name);

/* The shard number of an object by its name, the same in every process. */
uint64_t controller_shard(const struct store_key *key);
/* This process may own more objects: reads them. The journal's record of each is handled in the object's first turn. */
bool controller_take(struct controller *c, struct diags *diags);
/*
 * Objects that this process no longer owns but that are worked on or have an operation under way: returns their number, and the
 * shard numbers of the first `max` of them.
 */
size_t controller_held(struct controller *c, uint64_t *ret, size_t max);

/* Progress: every managed object is counted in exactly one of the four. */
struct controller_progress {
    size_t ready;   /* Ready and Synced, no operation under way */
    size_t paused;  /* on purpose */
    size_t failing; /* the last `tries` passes failed, or the object waits for something that only a person can provide */
    size_t moving;  /* all others: no pass since the last change, an operation under way, or fewer than `tries` failures */
};
struct controller_progress controller_progress(struct controller *c, unsigned tries);
/* Waits until no object is moving; false: the deadline has passed. */
bool controller_wait(struct controller *c, unsigned tries, int64_t deadline);

/* For metrics. */
struct controller_counts {
    struct queue_counts queue;
    size_t workers;
    size_t objects, uses;       /* known objects, and edges from them to what they use */
    size_t operations;          /* under way */
    uint64_t passes, failed;    /* passes so far, and how many of them ended with an error */
    uint64_t begun[3], lost[3]; /* operations begun and failed, by enum reconcile_operation */
    uint64_t recovered;         /* journal records found at startup */
    uint64_t changes;           /* changes seen by the watch */
};
struct controller_counts controller_count(struct controller *c);
