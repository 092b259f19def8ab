/*
 * The interface between a reconciler and Terraform. Everything here is in Terraform's terms; how Terraform is reached is hidden
 * behind a table of functions (backend.h).
 *
 *     struct scheduler_session *o = scheduler_observe(s, arena, &item, wake, ctx);   // a worker reads and plans the object, once
 *     ...                                                                            // wake(ctx): the answers are there
 *     bool exists;
 *     if (scheduler_exists(o, &exists) == SCHEDULER_ANSWERED && !exists)
 *         scheduler_apply(o, a, &events, diags, &started);                           // in the background, until events.done(ctx)
 *     scheduler_end(o);
 *     ...
 *     if (scheduler_collect(s, item.key, &result)) ...                               // once
 *
 * Nothing here waits for Terraform. Until the observation has ended, questions are answered SCHEDULER_PENDING. An operation
 * belongs to the object's key and outlives the session that started it; each key has at most one, from its start until its result
 * is collected. All functions may be called from any thread, also from `wake` and `done` unless stated otherwise.
 */
#pragma once

#include "base/json.h"
#include "base/log.h"
#include "change/change.h"
#include "loop/loop.h"
#include "state/state.h"

#define SCHEDULER_OBSERVE_NS (180 * NS_PER_S)
#define SCHEDULER_OPERATION_NS (3600 * NS_PER_S)
#define SCHEDULER_STOP_NS (30 * NS_PER_S)
enum {
    SCHEDULER_OBSERVATIONS = 16,         /* at once */
    SCHEDULER_OPERATIONS = 64,           /* at once; each has a thread while it runs */
    SCHEDULER_PROVIDER_OBSERVATIONS = 8, /* of these for one provider configuration */
    SCHEDULER_PROVIDER_OPERATIONS = 32,
    SCHEDULER_MAX_DIFFERENCES = 64, /* paths that are listed */
    SCHEDULER_MAX_LISTED = 10000,   /* objects read from a list */
    SCHEDULER_MAX_ALIKE = 256,      /* of these, how many are returned */
};

struct backend;
struct scheduler;
struct scheduler_options {
    struct loop *loop;
    struct log *log;                                     /* gets an entry for each job that has ended; may be NULL */
    unsigned observations, operations;                   /* 0: as above */
    unsigned provider_observations, provider_operations; /* 0: as above */
    int64_t stop_ns;      /* how long an operation may exceed its limit after it was asked to stop; 0: SCHEDULER_STOP_NS */
    int64_t lane_idle_ns; /* a provider configuration is closed after being unused for so long; 0: ten minutes */
};
/* Takes ownership of the backend. */
struct scheduler *scheduler_new(const struct scheduler_options *options, struct backend *backend);
/*
 * Cancels everything under way and waits for it to end; `keep` and `done` of operations are still called. Results that nobody
 * collected are lost. Every session must have been ended before. NULL is accepted.
 */
void scheduler_free(struct scheduler *s);

struct scheduler_provider {
    struct str address;        /* registry.terraform.io/hashicorp/aws */
    struct str path;           /* of the provider's binary */
    const struct json *config; /* with secrets filled in; NULL: empty */
};

/* One object in Terraform's terms. */
struct scheduler_item {
    struct str key; /* identifies the object: a key has at most one operation under way */
    struct scheduler_provider provider;
    struct str type, name;     /* aws_vpc, this: used in messages */
    const struct json *config; /* an object, with secrets filled in; NULL: no wanted configuration, the object is only observed */
    const struct json *ignore; /* ignore_changes: an array of paths; NULL: none */
    const struct state_instance *stored; /* the state as last kept; NULL: none */
    struct str import_id;                /* used when nothing is stored: import this; empty: there is nothing to look for */
    const struct json *import_identity;  /* the same, by identity; wins over import_id; NULL: none */
    bool data;                           /* a data source: only read, with this configuration; nothing is stored */
    bool list;          /* list the existing objects of this type that match `config`: scheduler_alike(); nothing is stored */
    bool may_replace;   /* destroy and recreate the object where an update is impossible */
    bool explain;       /* keep the plan for scheduler_explain() */
    int64_t observe_ns; /* time limits; 0: as above */
    int64_t create_ns, update_ns, delete_ns;
};

enum scheduler_answer {
    SCHEDULER_ANSWERED,
    SCHEDULER_PENDING, /* not known yet */
    SCHEDULER_FAILED,  /* it cannot be known; the diagnostics say why */
};

/* Why an observation or an operation failed. */
enum scheduler_failure {
    SCHEDULER_FINE,
    SCHEDULER_WRONG,   /* the provider or core's rules rejected it: a retry without a change is of little use */
    SCHEDULER_LOST,    /* the provider could not be started, or it ended: worth a retry */
    SCHEDULER_CRASHED, /* the provider ended while this object was alone in its process: the object causes it */
    SCHEDULER_TIMED_OUT,
    SCHEDULER_CANCELLED,
    SCHEDULER_NOT_KEPT, /* it succeeded, but `keep` could not store the result */
};

struct scheduler_session;
typedef void scheduler_wake_fn(void *ctx);
/*
 * Starts the observation: a worker reads the object (or imports it if nothing is stored) and compares it with the wanted
 * configuration. The session takes ownership of `a` and of what the item points to in it. `wake` (may be NULL) is called once,
 * from another thread and possibly before this function returns, when questions can be answered; it must be short.
 */
struct scheduler_session *scheduler_observe(struct scheduler *s, struct arena *a, const struct scheduler_item *item,
                                            scheduler_wake_fn *wake, void *ctx);
/*
 * Ends the session and frees its answers. An observation under way is cancelled. After the return `wake` is not running and will
 * not run. Must not be called from within `wake`. NULL is accepted.
 */
void scheduler_end(struct scheduler_session *o);

/*
 * Questions, all answered from the one observation. Answers live as long as the session. If the object could be read but the
 * wanted configuration is wrong, the questions about the object are answered and scheduler_is_up_to_date() fails.
 */
enum scheduler_answer scheduler_exists(struct scheduler_session *o, bool *ret);
/* The object as it is now (NULL: it does not exist), and whether it differs from what is stored. */
enum scheduler_answer scheduler_update_status(struct scheduler_session *o, const struct state_instance **ret, bool *ret_changed);
/* The attributes that the provider chose: those with a value that are not in the configuration, as an object in `a`. */
enum scheduler_answer scheduler_late_initialize(struct scheduler_session *o, struct arena *a, const struct json **ret);
/* True if the object exists, is not tainted, and has no operation under way. */
enum scheduler_answer scheduler_is_ready(struct scheduler_session *o, bool *ret);
/* What would have to be changed. Paths are in core's notation, without values: ".tags[\"Name\"]". */
struct scheduler_difference {
    enum change_action action; /* ACTION_NO_OP: the object is up to date */
    const struct str *paths;   /* what would change */
    size_t n_paths;            /* at most SCHEDULER_MAX_DIFFERENCES */
    const struct str *replace; /* those of the paths that force a replacement */
    size_t n_replace;
};
enum scheduler_answer scheduler_is_up_to_date(struct scheduler_session *o, bool *ret,
                                              struct scheduler_difference *ret_difference);
/*
 * The plan itself, for people. Only for an item with `explain`, with the engine as backend, and after scheduler_is_up_to_date()
 * answered false; else NULL. It is a change in the format of plan JSON (engine/plan_json.h), secrets included and marked.
 */
const struct json *scheduler_explain(struct scheduler_session *o);
/*
 * False with a diagnostic: the object would have to be replaced, and the item does not allow that. Call it only after
 * scheduler_is_up_to_date() answered false.
 */
bool scheduler_may_apply(const struct scheduler_session *o, struct diags *diags);
/* The sensitive attributes that have a value; `v` is in `a`. */
struct scheduler_detail {
    struct path path;
    const struct json *value;
};
struct scheduler_details {
    const struct scheduler_detail *v;
    size_t n;
};
enum scheduler_answer scheduler_get_connection_details(struct scheduler_session *o, struct arena *a,
                                                       struct scheduler_details *ret);
/* The same for an object that was kept. */
struct scheduler_details scheduler_details_of(struct arena *a, const struct state_instance *object);

/* For an item with `list`: the objects that may be what `config` describes. `config` may lack required arguments. */
struct scheduler_similar {
    struct state_instance object;
    bool sure; /* everything in `config` matches; false: nothing contradicts it, but not all of it is shown */
};
struct scheduler_alike {
    const struct scheduler_similar *v;
    size_t n;
    bool complete; /* false: there were more than SCHEDULER_MAX_LISTED objects, or some were not shown */
};
enum scheduler_answer scheduler_alike(struct scheduler_session *o, struct scheduler_alike *ret);

/* Warnings and errors of the observation; empty while it is pending. */
const struct diags *scheduler_diags(struct scheduler_session *o);
enum scheduler_failure scheduler_failure(struct scheduler_session *o);
/*
 * When a process ends or cannot be started, all its jobs under way get SCHEDULER_LOST; this is true for only one of them, so that
 * a caller who counts the provider's failures counts each once.
 */
bool scheduler_lost_first(struct scheduler_session *o);

/* Operations */

enum scheduler_kind { SCHEDULER_CREATE, SCHEDULER_UPDATE, SCHEDULER_DELETE };
/* "create", "update", "delete" */
const char *scheduler_kind_name(enum scheduler_kind kind);

/* What exists now. */
struct scheduler_kept {
    const struct state_instance *object; /* NULL: nothing */
    bool unknown; /* the provider did not answer: `object` is the last known state, and the real one has to be looked up */
};
struct scheduler_events {
    /*
     * Stores the new state as soon as it is known: called by the operation's thread, before anything reports success, and for a
     * replacement also between its two halves. Returns when the state is durable; false: it could not be stored, and the
     * operation fails. Not called when nothing was changed.
     */
    bool (*keep)(void *ctx, const struct scheduler_kept *now);
    void (*done)(void *ctx); /* the result can be collected; the last call with this ctx */
    void *ctx;
};
struct scheduler_started {
    bool completed;                   /* there was nothing to do; false: the operation is under way */
    struct scheduler_details details; /* when completed; in `a` */
};
/*
 * Creates or updates the object, or deletes it. SCHEDULER_FAILED, with a diagnostic and without any event: the observation
 * failed, the key has an operation under way or not collected, or the object would have to be replaced and that is not allowed.
 * With SCHEDULER_PENDING nothing was started.
 */
enum scheduler_answer scheduler_apply(struct scheduler_session *o, struct arena *a, const struct scheduler_events *events,
                                      struct diags *diags, struct scheduler_started *ret);
enum scheduler_answer scheduler_delete(struct scheduler_session *o, struct arena *a, const struct scheduler_events *events,
                                       struct diags *diags, struct scheduler_started *ret);

/* For LastAsyncOperation: the object's operation that is under way, or done and not collected. False: there is none. */
struct scheduler_report {
    enum scheduler_kind kind;
    int64_t started_ns; /* wall clock */
    bool finished;
    int64_t finished_ns; /* wall clock */
    enum scheduler_failure failure;
};
bool scheduler_operation(struct scheduler *s, struct str key, struct scheduler_report *ret);
/*
 * Asks the operation to stop without waiting for it. An operation that has not begun never will; else the provider is asked to
 * stop (StopProvider), and its answer is the result. If it does not react, the operation is abandoned at its time limit. False:
 * nothing is under way.
 */
bool scheduler_cancel(struct scheduler *s, struct str key);

struct scheduler_result {
    struct scheduler_report report;
    bool called; /* was the provider asked to change anything? */
    struct scheduler_kept now;
    struct scheduler_details details;
    const struct diags *diags;
    struct operation *operation; /* private */
};
/*
 * Takes the result of a finished operation. The first caller gets it; after that another operation may begin. False: there is
 * none.
 */
bool scheduler_collect(struct scheduler *s, struct str key, struct scheduler_result *ret);
/* Frees the result; must be called before scheduler_free(). An all-zero result is accepted. */
void scheduler_result_free(struct scheduler_result *r);

/* Call it when the object is gone for good: the count of its crashes is dropped. */
void scheduler_forget(struct scheduler *s, struct str key);

/* For tests and metrics. */
struct scheduler_counts {
    size_t lanes;               /* open provider configurations, those for single objects included */
    size_t running, waiting;    /* observations and operations */
    size_t operations;          /* under way or not collected */
    uint64_t observed, crashed; /* totals: observations made; jobs that were under way when their process ended */
};
struct scheduler_counts scheduler_count(struct scheduler *s);
