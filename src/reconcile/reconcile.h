/*
 * One pass over one managed object: look at it, look at what it stands for, do the one thing that is missing, say so in its
 * status.
 *
 * The pass knows neither the store nor Terraform: both are tables of functions. It keeps nothing between passes; whatever it must
 * remember is in the object (annotations, conditions) or in the journal (journal.h). So a pass may be repeated at any time, on
 * any worker, but never twice at once for one object (queue.h sees to that).
 */
#pragma once

#include "base/clock.h"
#include "base/json.h"

/* What a call answered. The message, in the arena of the call, says why it failed, in words for a condition. */
enum reconcile_status {
    RECONCILE_OK,
    RECONCILE_FAILED,
    RECONCILE_CONFLICT,  /* somebody else wrote the object first: the pass ends without a word and is repeated */
    RECONCILE_NOT_FOUND, /* of get: there is no such object any more */
};
struct reconcile_answer {
    enum reconcile_status status;
    struct str message;
};

struct reconcile_key {
    struct str group, kind, namespace, name; /* namespace is empty for cluster-scoped kinds */
};

struct reconcile_event {
    bool warning;
    const char *reason;
    struct str message;
    struct str external_name; /* goes with it as an annotation; empty: not known */
};

enum reconcile_operation { RECONCILE_CREATE, RECONCILE_UPDATE, RECONCILE_DELETE };

/* For the functions of both tables: memory that lives until the pass has ended, and when they should have answered. */
struct reconcile_call {
    struct arena *arena;
    int64_t deadline; /* of the monotonic clock */
};

/*
 * The object side. Functions that write take the object as it should be and leave in its place what is stored now, with its new
 * resourceVersion; on failure they leave it alone. A write that changes nothing is theirs to skip. Those that say "may be NULL"
 * then succeed and change nothing.
 */
struct reconcile_objects {
    void *ctx;
    struct reconcile_answer (*get)(void *ctx, const struct reconcile_call *call, const struct reconcile_key *key,
                                   const struct json **ret);
    /* Metadata and spec, with conflict detection; the status in the store stays. */
    struct reconcile_answer (*update)(void *ctx, const struct reconcile_call *call, const struct json **object);
    struct reconcile_answer (*update_status)(void *ctx, const struct reconcile_call *call, const struct json **object);
    /* Annotations that must not be lost: on a conflict read the object again, lay these over it, and try again (a few times). */
    struct reconcile_answer (*update_critical_annotations)(void *ctx, const struct reconcile_call *call,
                                                           const struct json **object);
    struct reconcile_answer (*add_finalizer)(void *ctx, const struct reconcile_call *call, const struct json **object);
    struct reconcile_answer (*remove_finalizer)(void *ctx, const struct reconcile_call *call, const struct json **object);
    /* May be NULL: tags, the external name, and whatever else an object gets before it is looked at. */
    struct reconcile_answer (*initialize)(void *ctx, const struct reconcile_call *call, const struct json **object);
    /* May be NULL. */
    struct reconcile_answer (*resolve_references)(void *ctx, const struct reconcile_call *call, const struct json **object);
    /* May be NULL. `details` is an object of texts, or NULL. */
    struct reconcile_answer (*publish)(void *ctx, const struct reconcile_call *call, const struct json *object,
                                       const struct json *details);
    struct reconcile_answer (*unpublish)(void *ctx, const struct reconcile_call *call, const struct json *object);
    void (*event)(void *ctx, const struct json *object, const struct reconcile_event *event);
    /* May be NULL: what was done to the external object; an empty error says that it succeeded. */
    void (*change_log)(void *ctx, const struct json *object, enum reconcile_operation operation, struct str error);
};

struct reconcile_observation {
    bool exists;
    bool up_to_date;
    bool late_initialized;   /* spec was filled in from what was observed */
    bool absence_is_certain; /* not `exists`, and the provider itself has proved it: no waiting for it to show up */
    bool operation_runs;     /* one that was begun in an earlier pass has not ended */
    const struct json *details;
};

struct reconcile_change {
    bool begun; /* it goes on after this pass; its end comes through reconcile_report() */
    bool again; /* it was begun by an earlier pass */
    const struct json *details;
};

/* Ways to find out whether a creation whose end nobody knows has made something. Tried in this order. */
enum reconcile_lookup { RECONCILE_BY_NAME, RECONCILE_BY_IMPORT, RECONCILE_BY_LIST, RECONCILE_LOOKUPS };
enum reconcile_found {
    RECONCILE_CANNOT_TELL, /* this way does not work here, or does not prove anything */
    RECONCILE_FOUND,       /* the object now has the external name */
    RECONCILE_NOTHING,     /* there is certainly nothing */
};

/*
 * The external side. Between connect and disconnect (which is always called after a connect that succeeded) `*connection` is its
 * own. Observe, create and lookup may change the object: status, spec (late initialisation), the external name and the provider's
 * private data in annotations. They change nothing in the store.
 *
 * Who implements create, update and destroy writes the journal (journal.h) around them: only there the plan is known.
 */
struct reconcile_external {
    void *ctx;
    struct reconcile_answer (*connect)(void *ctx, const struct reconcile_call *call, const struct json *object,
                                       void **ret_connection);
    /* May be NULL: fails when another object has what this one stands for, and the message says which. */
    struct reconcile_answer (*claim)(void *connection, const struct reconcile_call *call, const struct json *object);
    struct reconcile_answer (*observe)(void *connection, const struct reconcile_call *call, const struct json **object,
                                       struct reconcile_observation *ret);
    /* May be NULL: before the mark of a creation is written, so that a mark without a record in the journal is somebody else's.
     */
    struct reconcile_answer (*announce_create)(void *connection, const struct reconcile_call *call, const struct json *object);
    struct reconcile_answer (*create)(void *connection, const struct reconcile_call *call, const struct json **object,
                                      struct reconcile_change *ret);
    struct reconcile_answer (*update)(void *connection, const struct reconcile_call *call, const struct json **object,
                                      struct reconcile_change *ret);
    struct reconcile_answer (*destroy)(void *connection, const struct reconcile_call *call, const struct json *object,
                                       struct reconcile_change *ret);
    struct reconcile_answer (*disconnect)(void *connection, const struct reconcile_call *call);
    /* May be NULL. The message that goes with RECONCILE_CANNOT_TELL says what a person should know, or is empty. */
    struct reconcile_answer (*lookup)(void *connection, const struct reconcile_call *call, enum reconcile_lookup way,
                                      const struct json **object, enum reconcile_found *ret);
};

/*
 * Where a pass does not do as crossplane-runtime and Upjet do, each for a reason in docs/compatibility.md. All off: exactly as
 * they.
 */
struct reconcile_better {
    bool lookup;           /* a creation whose end is not known is looked up before a person is asked */
    bool believe_absence;  /* no period of grace when the absence is certain, or the creation is known to have failed */
    bool keep_identity;    /* the external name and private data are stored when they are seen, whatever the policies */
    bool one_delete_event; /* "deletion requested" is said once, not in each round */
    bool steady_synced;    /* Synced does not turn True only because what failed is being tried again */
};
#define RECONCILE_BETTER ((struct reconcile_better){true, true, true, true, true})

#define RECONCILE_GRACE_NS (30 * NS_PER_S)
#define RECONCILE_TIMEOUT_NS (180 * NS_PER_S)

struct reconcile_options {
    const struct clock *clock;
    bool policies;                      /* management policies are supported */
    const unsigned *supported_policies; /* sets of enum managed_action; NULL: all that mean something */
    size_t n_supported_policies;
    bool cluster_scoped;                                         /* the kind has deletionPolicy */
    bool deterministic_external_name;                            /* what a lost creation made is found by observing */
    bool creation_unknown;                                       /* the journal has a creation of this object that never ended */
    int64_t grace_ns;                                            /* so long after a creation its absence is not believed */
    int64_t timeout_ns;                                          /* for the calls of the external side together */
    int64_t (*poll_after)(void *ctx, const struct json *object); /* until the next look at an object that is as it should be */
    void *poll_ctx;
    struct reconcile_better better;
};

enum reconcile_again {
    RECONCILE_NOT_AGAIN, /* until something changes; backoff is forgotten */
    RECONCILE_WITH_BACKOFF,
    RECONCILE_AFTER, /* after `after_ns`; backoff is forgotten */
};
struct reconcile_result {
    enum reconcile_again again;
    int64_t after_ns;
    struct str error; /* empty: none; otherwise for the log, and the pass counts as failed: try again with backoff */
    /* For the journal: */
    bool observed;       /* what is outside was seen, and nothing is under way there */
    bool creation_known; /* the lookup has found out, and the object shows it */
    /* For those who measure: */
    bool unchanged; /* it was as it should be */
    bool updated;   /* it was not, and an update of it was begun */
};

/* One pass. What is returned lives in `a`. */
struct reconcile_result reconcile_once(struct arena *a, const struct reconcile_key *key, const struct reconcile_options *options,
                                       const struct reconcile_objects *objects, const struct reconcile_external *external);

/*
 * The end of an operation that had only been begun: conditions LastAsyncOperation and Synced, and when to look again. An error in
 * the result says that the object does not show it; the journal must keep it then.
 */
struct reconcile_report {
    enum reconcile_operation operation;
    struct str error; /* empty: it succeeded */
};
struct reconcile_result reconcile_report(struct arena *a, const struct reconcile_key *key,
                                         const struct reconcile_options *options, const struct reconcile_objects *objects,
                                         const struct reconcile_report *report);

/* The object waits for something that it has no part in (queue_waits_for): its condition Synced says for what. */
struct reconcile_result reconcile_wait(struct arena *a, const struct reconcile_key *key, const struct reconcile_options *options,
                                       const struct reconcile_objects *objects, struct str why);

/*
 * Is a change of an object worth a pass? New and deleted objects are (either is NULL), and changes of generation, labels or
 * annotations, but for the marks that passes themselves leave. That a person took the mark of an unknown creation away is worth
 * one.
 */
bool reconcile_wakes(const struct json *before, const struct json *after);
/* The same for those who do not keep objects: what of one decides about that, in a few bytes. `seed` is that of all of them. */
struct reconcile_sight {
    uint64_t hash;
    bool creation_is_incomplete, create_pending;
};
struct reconcile_sight reconcile_sight(const struct json *object, uint64_t seed);
bool reconcile_sight_wakes(struct reconcile_sight before, struct reconcile_sight after);
