/*
 * The seam between whoever wants objects to be as they should (a reconciler) and Terraform. Everything here is in Terraform's
 * terms; how Terraform is reached is hidden behind a table of functions (backend.h).
 *
 *     struct scheduler_session *o = scheduler_observe(s, arena, &item, wake, ctx);   // a worker looks at the object, once
 *     ...                                                                            // wake(ctx): it has
 *     bool exists;
 *     if (scheduler_exists(o, &exists) == SCHEDULER_ANSWERED && !exists)
 *         scheduler_apply(o, a, &events, diags, &started);                           // runs on; events.done(ctx) at its end
 *     scheduler_end(o);
 *     ...
 *     if (scheduler_collect(s, item.key, &result)) ...                               // once
 *
 * Nothing here waits for Terraform. Questions before the observation is there are answered SCHEDULER_PENDING. Operations belong
 * to the object's key and go on after the session that began them; there is at most one for each key, from its start until its
 * result is collected. All functions may be called from any thread, also from within `wake` and `done` where not said otherwise.
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
    SCHEDULER_MAX_DIFFERENCES = 64, /* paths that are named */
    SCHEDULER_MAX_LISTED = 10000,   /* objects that are looked at in a list */
    SCHEDULER_MAX_ALIKE = 256,      /* of these that are answered */
};

struct backend;
struct scheduler;
struct scheduler_options {
    struct loop *loop;
    struct log *log;                                     /* told of jobs that have ended; may be NULL */
    unsigned observations, operations;                   /* 0: as above */
    unsigned provider_observations, provider_operations; /* 0: as above */
    int64_t stop_ns;      /* how much longer than its limit an operation may take, once told to stop; 0: SCHEDULER_STOP_NS */
    int64_t lane_idle_ns; /* a provider configuration that was not used for so long is closed; 0: ten minutes */
};
/* The backend is the scheduler's from now on. */
struct scheduler *scheduler_new(const struct scheduler_options *options, struct backend *backend);
/*
 * Cancels what is under way and waits for its end: `keep` and `done` of operations are still called. Results that nobody
 * collected are gone. Every session must have been ended. NULL is accepted.
 */
void scheduler_free(struct scheduler *s);

struct scheduler_provider {
    struct str address;        /* registry.terraform.io/hashicorp/aws */
    struct str path;           /* of the binary */
    const struct json *config; /* with secrets filled in; NULL: empty */
};

/* One object in Terraform's terms. */
struct scheduler_item {
    struct str key; /* tells objects apart: of one key at most one operation is under way */
    struct scheduler_provider provider;
    struct str type, name;               /* aws_vpc, this: what messages call it */
    const struct json *config;           /* an object, with secrets filled in; NULL: nothing is wanted, it is only looked at */
    const struct json *ignore;           /* ignore_changes: an array of paths; NULL: none */
    const struct state_instance *stored; /* as it was kept last; NULL: nothing is stored */
    struct str import_id;                /* where nothing is stored: look for this; empty: there is nothing to look for */
    const struct json *import_identity;  /* likewise, by identity; wins over the id; NULL: none */
    bool data;                           /* a data source: it is only looked at, with this configuration; nothing is stored */
    bool list;          /* what exists of this type and looks like `config`: scheduler_alike(); nothing is stored */
    bool may_replace;   /* destroy and create anew where an update cannot do it */
    bool explain;       /* keep the plan for scheduler_explain() */
    int64_t observe_ns; /* time limits; 0: as above */
    int64_t create_ns, update_ns, delete_ns;
};

enum scheduler_answer {
    SCHEDULER_ANSWERED,
    SCHEDULER_PENDING, /* not known yet */
    SCHEDULER_FAILED,  /* it cannot be known: diagnostics say why */
};

/* Why an observation or an operation failed. */
enum scheduler_failure {
    SCHEDULER_FINE,
    SCHEDULER_WRONG,   /* the provider, or core's rules, found fault: trying again without a change is of little use */
    SCHEDULER_LOST,    /* the provider could not be started, or ended and was lost: worth another try */
    SCHEDULER_CRASHED, /* the provider ended while it worked on this object in a process of its own: this object does it */
    SCHEDULER_TIMED_OUT,
    SCHEDULER_CANCELLED,
    SCHEDULER_NOT_KEPT, /* done, but `keep` could not store the result */
};

struct scheduler_session;
typedef void scheduler_wake_fn(void *ctx);
/*
 * Starts the observation: the object is read (or imported where nothing is stored) and compared with what is wanted. `a` and what
 * the item points to in it are the session's from now on. `wake` (may be NULL) is called once, by another thread and perhaps
 * before this has returned, when questions can be answered; it must be short.
 */
struct scheduler_session *scheduler_observe(struct scheduler *s, struct arena *a, const struct scheduler_item *item,
                                            scheduler_wake_fn *wake, void *ctx);
/*
 * What the session answered is gone with it. An observation under way is cancelled; after the return `wake` is not running and
 * will not run. Not from within `wake`. NULL is accepted.
 */
void scheduler_end(struct scheduler_session *o);

/*
 * Questions, answered from the one observation. Answers live as long as the session. Where the object could be read but what is
 * wanted is wrong, those about the object are answered and scheduler_is_up_to_date() fails.
 */
enum scheduler_answer scheduler_exists(struct scheduler_session *o, bool *ret);
/* The object as it is now (NULL: there is none), and whether that is something else than what is stored. */
enum scheduler_answer scheduler_update_status(struct scheduler_session *o, const struct state_instance **ret, bool *ret_changed);
/* What the provider chose: the attributes that have a value and are not in the configuration, an object in `a`. */
enum scheduler_answer scheduler_late_initialize(struct scheduler_session *o, struct arena *a, const struct json **ret);
/* It exists, is whole (not tainted), and no operation is under way. */
enum scheduler_answer scheduler_is_ready(struct scheduler_session *o, bool *ret);
/* What would have to be done. Paths are as core writes them, without values: ".tags[\"Name\"]". */
struct scheduler_difference {
    enum change_action action; /* ACTION_NO_OP: the object is as wanted */
    const struct str *paths;   /* what would change */
    size_t n_paths;            /* at most SCHEDULER_MAX_DIFFERENCES */
    const struct str *replace; /* which of these an update cannot change */
    size_t n_replace;
};
enum scheduler_answer scheduler_is_up_to_date(struct scheduler_session *o, bool *ret,
                                              struct scheduler_difference *ret_difference);
/*
 * The plan itself, for people: of an item with `explain`, through the engine alone, and only after it was answered that it is
 * not up to date. NULL: there is none. It is a change as plan JSON has it (engine/plan_json.h), secrets included and marked.
 */
const struct json *scheduler_explain(struct scheduler_session *o);
/* False and a diagnostic: it would have to be destroyed and created anew, and may not be. Only after it was answered that it is
 * not up to date. */
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
/* The same of an object that was kept. */
struct scheduler_details scheduler_details_of(struct arena *a, const struct state_instance *object);

/* Of an item that is a list: the objects that may be what `config` asked for. Required arguments may be missing in it. */
struct scheduler_similar {
    struct state_instance object;
    bool sure; /* all that `config` says is so; false: nothing speaks against it, but not all is shown */
};
struct scheduler_alike {
    const struct scheduler_similar *v;
    size_t n;
    bool complete; /* false: there were more objects than are looked at, or some that were not shown */
};
enum scheduler_answer scheduler_alike(struct scheduler_session *o, struct scheduler_alike *ret);

/* Warnings and errors of the observation; empty while it is pending. */
const struct diags *scheduler_diags(struct scheduler_session *o);
enum scheduler_failure scheduler_failure(struct scheduler_session *o);
/* A process that ends, or cannot be started, is lost to all who were under way in it: of SCHEDULER_LOST only the first has this
 * true, for who counts how often a provider fails. */
bool scheduler_lost_first(struct scheduler_session *o);

/* Operations */

enum scheduler_kind { SCHEDULER_CREATE, SCHEDULER_UPDATE, SCHEDULER_DELETE };
/* "create", "update", "delete" */
const char *scheduler_kind_name(enum scheduler_kind kind);

/* What exists now. */
struct scheduler_kept {
    const struct state_instance *object; /* NULL: nothing */
    bool unknown; /* the provider did not answer: `object` is what was known before, and what exists has to be looked up */
};
struct scheduler_events {
    /*
     * The new state, the moment it is known: by the operation's thread, before anything reports success, and of a replacement
     * also between its halves. Returns when it is durable; false: it could not be stored, and the operation fails. Not called
     * where nothing was changed.
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
 * Makes the object what is wanted, or ends it. Fails, with a diagnostic and without calling any event, when the observation
 * failed, an operation on the key is under way or not collected yet, or the object would have to be replaced and may not be.
 * Called SCHEDULER_PENDING nothing was begun.
 */
enum scheduler_answer scheduler_apply(struct scheduler_session *o, struct arena *a, const struct scheduler_events *events,
                                      struct diags *diags, struct scheduler_started *ret);
enum scheduler_answer scheduler_delete(struct scheduler_session *o, struct arena *a, const struct scheduler_events *events,
                                       struct diags *diags, struct scheduler_started *ret);

/* For LastAsyncOperation: what is under way on this object, or done and not collected. False: nothing. */
struct scheduler_report {
    enum scheduler_kind kind;
    int64_t started_ns; /* wall clock */
    bool finished;
    int64_t finished_ns; /* wall clock */
    enum scheduler_failure failure;
};
bool scheduler_operation(struct scheduler *s, struct str key, struct scheduler_report *ret);
/*
 * Asks the operation to stop: one that has not begun never does; else the provider is told (StopProvider), and what it then says
 * is the result. One that does not listen is given up at its time limit. False: nothing is under way. Does not wait.
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
/* The result of a finished operation, to whoever comes first; from then on another one may begin. False: there is none. */
bool scheduler_collect(struct scheduler *s, struct str key, struct scheduler_result *ret);
/* What it points to goes. Before the scheduler does; all zero is accepted. */
void scheduler_result_free(struct scheduler_result *r);

/* The object is gone for good: what was remembered of its crashes goes too. */
void scheduler_forget(struct scheduler *s, struct str key);

/* For tests and metrics. */
struct scheduler_counts {
    size_t lanes;               /* provider configurations that are open, those for single objects included */
    size_t running, waiting;    /* observations and operations */
    size_t operations;          /* under way or not collected */
    uint64_t observed, crashed; /* so far: observations made, ends of a process that an object was present at */
};
struct scheduler_counts scheduler_count(struct scheduler *s);
