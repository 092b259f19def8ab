/*
 * One pass over one managed object: read the object, observe its external resource, do the one thing that is missing, and write
 * the result into the object's status.
 *
 * The pass knows neither the store nor Terraform: both are tables of functions. It keeps nothing between passes; whatever it must
 * remember is in the object (annotations, conditions) or in the journal (journal.h). So a pass may be repeated at any time, on
 * any worker, but an object must never have two passes at once (queue.h sees to that).
 */
#pragma once

#include "base/clock.h"
#include "base/json.h"

/* The result of a call. The message, in the call's arena, says why it failed, worded for a condition. */
enum reconcile_status {
    RECONCILE_OK,
    RECONCILE_FAILED,
    RECONCILE_CONFLICT,  /* somebody else wrote the object first: the pass ends without an event or condition and is repeated */
    RECONCILE_NOT_FOUND, /* the object no longer exists */
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
    struct str external_name; /* becomes an annotation of the event; empty: not known */
};

enum reconcile_operation { RECONCILE_CREATE, RECONCILE_UPDATE, RECONCILE_DELETE };

/* For the functions of both tables: memory that lives until the end of the pass, and the deadline for their answer. */
struct reconcile_call {
    struct arena *arena;
    int64_t deadline; /* of the monotonic clock */
};

/*
 * The object side. Functions that write take the object as it should be and replace it with what is stored now, with its new
 * resourceVersion; on failure they leave it alone. They may skip a write that changes nothing. A function that "may be NULL"
 * counts, when it is NULL, as one that succeeds and changes nothing.
 */
struct reconcile_objects {
    void *ctx;
    struct reconcile_answer (*get)(void *ctx, const struct reconcile_call *call, const struct reconcile_key *key,
                                   const struct json **ret);
    /* Writes metadata and spec, with conflict detection; the status in the store is unchanged. */
    struct reconcile_answer (*update)(void *ctx, const struct reconcile_call *call, const struct json **object);
    struct reconcile_answer (*update_status)(void *ctx, const struct reconcile_call *call, const struct json **object);
    /*
     * Annotations that must not be lost: on a conflict, reads the object again, sets the annotations in it and retries (a few
     * times).
     */
    struct reconcile_answer (*update_critical_annotations)(void *ctx, const struct reconcile_call *call,
                                                           const struct json **object);
    struct reconcile_answer (*add_finalizer)(void *ctx, const struct reconcile_call *call, const struct json **object);
    struct reconcile_answer (*remove_finalizer)(void *ctx, const struct reconcile_call *call, const struct json **object);
    /* May be NULL. Sets tags, the external name and other defaults before the resource is observed. */
    struct reconcile_answer (*initialize)(void *ctx, const struct reconcile_call *call, const struct json **object);
    /* May be NULL. */
    struct reconcile_answer (*resolve_references)(void *ctx, const struct reconcile_call *call, const struct json **object);
    /* May be NULL. `details` is an object of strings, or NULL. */
    struct reconcile_answer (*publish)(void *ctx, const struct reconcile_call *call, const struct json *object,
                                       const struct json *details);
    struct reconcile_answer (*unpublish)(void *ctx, const struct reconcile_call *call, const struct json *object);
    void (*event)(void *ctx, const struct json *object, const struct reconcile_event *event);
    /* May be NULL. Records what was done to the external resource; an empty error means success. */
    void (*change_log)(void *ctx, const struct json *object, enum reconcile_operation operation, struct str error);
};

struct reconcile_observation {
    bool exists;
    bool up_to_date;
    bool late_initialized;   /* the spec was completed from what was observed */
    bool absence_is_certain; /* only if not `exists`: proved by the provider, so no grace period is needed */
    bool operation_runs;     /* an operation begun in an earlier pass has not ended */
    const struct json *details;
};

struct reconcile_change {
    bool begun; /* it continues after this pass; its end is reported with reconcile_report() */
    bool again; /* an earlier pass began it already */
    const struct json *details;
};

/* Ways to find out whether a creation with unknown outcome has created something. Tried in this order. */
enum reconcile_lookup { RECONCILE_BY_NAME, RECONCILE_BY_IMPORT, RECONCILE_BY_LIST, RECONCILE_LOOKUPS };
enum reconcile_found {
    RECONCILE_CANNOT_TELL, /* this way is not available, or proves nothing */
    RECONCILE_FOUND,       /* the object now has the external name */
    RECONCILE_NOTHING,     /* certainly nothing was created */
};

/*
 * The external side. `*connection` is private to it between connect and disconnect (which is always called after a successful
 * connect). Observe, create and lookup may change the object in memory, but not in the store: status, spec (late initialisation),
 * the external name, and the provider's private data in annotations.
 *
 * The implementation of create, update and destroy writes the journal (journal.h) around them, because only there the plan is
 * known.
 */
struct reconcile_external {
    void *ctx;
    struct reconcile_answer (*connect)(void *ctx, const struct reconcile_call *call, const struct json *object,
                                       void **ret_connection);
    /* May be NULL. Fails if another object manages the same resource; the message names that object. */
    struct reconcile_answer (*claim)(void *connection, const struct reconcile_call *call, const struct json *object);
    struct reconcile_answer (*observe)(void *connection, const struct reconcile_call *call, const struct json **object,
                                       struct reconcile_observation *ret);
    /*
     * May be NULL. Called before the pending mark of a creation is written, so that a mark without a journal record must come
     * from somebody else.
     */
    struct reconcile_answer (*announce_create)(void *connection, const struct reconcile_call *call, const struct json *object);
    struct reconcile_answer (*create)(void *connection, const struct reconcile_call *call, const struct json **object,
                                      struct reconcile_change *ret);
    struct reconcile_answer (*update)(void *connection, const struct reconcile_call *call, const struct json **object,
                                      struct reconcile_change *ret);
    struct reconcile_answer (*destroy)(void *connection, const struct reconcile_call *call, const struct json *object,
                                       struct reconcile_change *ret);
    struct reconcile_answer (*disconnect)(void *connection, const struct reconcile_call *call);
    /* May be NULL. With RECONCILE_CANNOT_TELL, the message is what a person should know, or empty. */
    struct reconcile_answer (*lookup)(void *connection, const struct reconcile_call *call, enum reconcile_lookup way,
                                      const struct json **object, enum reconcile_found *ret);
};

/*
 * Deliberate differences from crossplane-runtime and Upjet, each explained in docs/compatibility.md. All off: exactly their
 * behaviour.
 */
struct reconcile_better {
    bool lookup;           /* look up a creation with unknown outcome before asking a person */
    bool believe_absence;  /* no grace period when the absence is certain, or the creation is known to have failed */
    bool keep_identity;    /* store the external name and private data as soon as they are seen, whatever the policies */
    bool one_delete_event; /* the event "deletion requested" is sent once, not in each pass */
    bool steady_synced;    /* Synced does not turn True only because a failed operation is being retried */
};
#define RECONCILE_BETTER ((struct reconcile_better){true, true, true, true, true})

#define RECONCILE_GRACE_NS (30 * NS_PER_S)
#define RECONCILE_TIMEOUT_NS (180 * NS_PER_S)

struct reconcile_options {
    const struct clock *clock;
    bool policies;                      /* management policies are supported */
    const unsigned *supported_policies; /* sets of enum managed_action; NULL: all meaningful ones */
    size_t n_supported_policies;
    bool cluster_scoped;              /* the kind has deletionPolicy */
    bool deterministic_external_name; /* observing finds what a creation with unknown outcome has created */
    bool creation_unknown;            /* the journal has a creation of this object without an end */
    bool creation_runs;               /* begun in an earlier pass: that its mark is pending is right */
    /*
     * The journal has no creations of this object: the marks alone tell what is known of one. So it stays pending until its end
     * is reported, and says for which generation it is.
     */
    bool only_marks;
    /* Of the object when the update began that has succeeded a moment ago (0: none): if the resource still differs from the same
     * spec, the next update waits for the backoff. */
    int64_t updated_generation;
    int64_t grace_ns;   /* for so long after a creation, the resource's absence is not believed */
    int64_t timeout_ns; /* for all calls of the external side together */
    int64_t (*poll_after)(void *ctx, const struct json *object); /* time until the next poll of an object that is up to date */
    void *poll_ctx;
    struct reconcile_better better;
};

enum reconcile_again {
    RECONCILE_NOT_AGAIN, /* not until something changes; resets the backoff */
    RECONCILE_WITH_BACKOFF,
    RECONCILE_AFTER, /* after `after_ns`; resets the backoff */
};
struct reconcile_result {
    enum reconcile_again again;
    int64_t after_ns;
    struct str error; /* empty: none; else for the log, and the pass counts as failed: retry with backoff */
    /* For the journal: */
    bool observed;       /* the external resource was observed, and no operation runs on it */
    bool creation_known; /* the lookup found the outcome, and the object shows it; or a person has decided */
    /* For metrics: */
    bool unchanged; /* the resource was up to date */
    bool updated;   /* it was not, and an update was begun */
    bool in_vain;   /* it was not, although it has just been updated */
};

/* Runs one pass. The result lives in `a`. */
struct reconcile_result reconcile_once(struct arena *a, const struct reconcile_key *key, const struct reconcile_options *options,
                                       const struct reconcile_objects *objects, const struct reconcile_external *external);

/*
 * Reports the end of an operation that an earlier pass began: sets the conditions LastAsyncOperation and Synced, and says when to
 * reconcile again. With an error in the result the object does not show the end; the journal must keep the record then.
 */
struct reconcile_report {
    enum reconcile_operation operation;
    struct str error; /* empty: it succeeded */
    bool unknown;     /* with an error: it may have succeeded all the same */
};
struct reconcile_result reconcile_report(struct arena *a, const struct reconcile_key *key,
                                         const struct reconcile_options *options, const struct reconcile_objects *objects,
                                         const struct reconcile_report *report);

/* The object waits for something outside it (queue_waits_for): its condition Synced gives `why`. */
struct reconcile_result reconcile_wait(struct arena *a, const struct reconcile_key *key, const struct reconcile_options *options,
                                       const struct reconcile_objects *objects, struct str why);

/*
 * Is a change of an object worth a pass? Creation and deletion are (either argument is NULL), and so are changes of generation,
 * labels or annotations, except for the marks that passes leave. The removal of the mark of a pending creation, which no pass
 * removes, is worth one.
 */
bool reconcile_wakes(const struct json *before, const struct json *after);
/* The same for callers who do not keep objects: a digest of what decides. `seed` must be the same for all digests. */
struct reconcile_sight {
    uint64_t hash;
    bool create_pending;
};
struct reconcile_sight reconcile_sight(const struct json *object, uint64_t seed);
bool reconcile_sight_wakes(struct reconcile_sight before, struct reconcile_sight after);
