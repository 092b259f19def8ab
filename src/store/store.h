/*
 * Where managed resources are stored: Kubernetes objects behind one table of functions. SQLite is one store (sqlite.h), the
 * Kubernetes API another (kube.h); reconcilers do not know which one they use. README.md has the rules, what is left out, and the
 * differences between the two.
 *
 * An object is an immutable tree; it is changed by writing a new one. Results are in the caller's arena and may share parts with
 * the object that was passed in. All functions may be called from any thread; a watch belongs to one thread at a time.
 *
 * Every result other than STORE_OK, STORE_TIMEOUT and STORE_STOPPED comes with a diagnostic; ret_ outputs are set only for
 * STORE_OK.
 */
#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "store/selector.h"

enum {
    STORE_MAX_OBJECT = 3 << 19,         /* bytes of an object as JSON: 1.5 MiB, as in etcd */
    STORE_MAX_NAME = 253,               /* bytes of a group, kind, namespace or name */
    STORE_MAX_WATCHES = 256,            /* open at once */
    STORE_MAX_HISTORY = 10000,          /* changes back from which a watch can start */
    STORE_MAX_HISTORY_BYTES = 64 << 20, /* of old versions that are kept only for watches */
    STORE_MAX_EVENTS = 10000,           /* kept for all objects together */
    STORE_MAX_EVENT_MESSAGE = 1024,     /* bytes, as in Kubernetes; longer messages are cut */
    STORE_MAX_EVENT_WORD = 128,         /* bytes of an event's reason, as in Kubernetes */
};
#define STORE_EVENT_AGE_NS (3600 * NS_PER_S) /* how long an event is kept after it was last seen, as in Kubernetes */

enum store_result {
    STORE_OK,
    STORE_NOT_FOUND, /* list: on Kubernetes, when there is no such kind */
    STORE_EXISTS,    /* create: an object of that name exists */
    STORE_CONFLICT,  /* the object has changed since it was read: read it again, reapply the change, retry */
    STORE_INVALID,   /* the object will never be accepted as it is */
    STORE_TOO_LARGE, /* like INVALID; the limit is STORE_MAX_OBJECT */
    STORE_TOO_MANY,  /* watches */
    STORE_EXPIRED, /* watch: the version is too old: list, then watch from the list's version. On Kubernetes also when a list took
                    * too long: list again */
    STORE_TIMEOUT, /* watch: nothing happened before the deadline */
    STORE_STOPPED, /* watch: store_watch_stop() was called */
    STORE_FAILED,  /* the store does not work: disk, damage, network, rights. Nothing was written (unknown for a create on
                    * Kubernetes whose connection broke); it may work later */
};

/* Identifies an object. The API version is not part of the key. */
struct store_key {
    struct str group, kind, namespace, name; /* group: empty for "v1"; namespace: empty for objects of the whole cluster */
};

/* Selects objects. Empty members match all. A kind needs its group. */
struct store_query {
    struct str group, kind, namespace;
    const struct selector *selector; /* NULL: any labels */
    /*
     * For lists only; called with the `ctx` of the list. Returns false for objects that the caller does not want, so that the
     * store need not read them; a store that has an object at hand may pass it on without asking. NULL: all are wanted.
     */
    bool (*wants)(void *ctx, const struct store_key *key);
    /* For lists of one kind: only what this process keeps in memory (mirror.h), without asking a server. Others ignore it. */
    bool own;
};

/* Conditions for a deletion. Empty: any. */
struct store_preconditions {
    struct str uid, version;
};

enum store_change_kind { STORE_ADDED = 1, STORE_MODIFIED, STORE_DELETED };

struct store_change {
    enum store_change_kind kind;
    const struct json *object; /* DELETED: its last state, with the version of the deletion */
};

/* Something that happened to an object, for people. */
struct store_event {
    struct store_key about;
    struct str uid;                   /* of the object */
    struct str type, reason, message; /* type: "Normal" or "Warning" */
    /* Set only when events are read: how often it was recorded, and when. */
    int64_t count, first_ns, last_ns;
};

struct store_events {
    const struct store_event *v; /* oldest first */
    size_t n;
};

struct store;
struct store_watch;

/* Returns false to stop. `a` is emptied after each object. */
typedef bool store_each(void *ctx, struct arena *a, const struct json *object);

struct store_ops {
    enum store_result (*get)(struct store *s, struct arena *a, const struct store_key *key, struct diags *diags,
                             const struct json **ret);
    enum store_result (*list)(struct store *s, struct arena *a, const struct store_query *query, store_each *each, void *ctx,
                              struct diags *diags, struct str *ret_version);
    enum store_result (*create)(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                const struct json **ret);
    enum store_result (*update)(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                const struct json **ret);
    enum store_result (*update_status)(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                       const struct json **ret);
    enum store_result (*remove)(struct store *s, struct arena *a, const struct store_key *key,
                                const struct store_preconditions *must, struct diags *diags, const struct json **ret);
    enum store_result (*watch)(struct store *s, const struct store_query *query, struct str version, struct diags *diags,
                               struct store_watch **ret);
    enum store_result (*watch_next)(struct store_watch *w, struct arena *a, int64_t deadline, struct diags *diags,
                                    struct store_change *ret);
    void (*watch_stop)(struct store_watch *w);
    void (*watch_close)(struct store_watch *w);
    enum store_result (*record)(struct store *s, const struct store_event *event, struct diags *diags);
    enum store_result (*events)(struct store *s, struct arena *a, struct str uid, struct diags *diags, struct store_events *ret);
    bool (*holds_lease)(struct store *s);
    void (*close)(struct store *s);
};

/* The first member of every store, and of every watch of it. */
struct store {
    const struct store_ops *ops;
};
struct store_watch {
    const struct store_ops *ops;
};

static inline enum store_result store_get(struct store *s, struct arena *a, const struct store_key *key, struct diags *diags,
                                          const struct json **ret)
{
    return s->ops->get(s, a, key, diags, ret);
}

/*
 * Calls `each` for the objects, ordered by group, kind, namespace and name, all as they were at one moment: the version that is
 * returned, from which a watch can continue. `a` is only for that version.
 */
static inline enum store_result store_list(struct store *s, struct arena *a, const struct store_query *query, store_each *each,
                                           void *ctx, struct diags *diags, struct str *ret_version)
{
    return s->ops->list(s, a, query, each, ctx, diags, ret_version);
}

/* The store sets uid, creationTimestamp, generation and resourceVersion and drops a status. Supports generateName. */
static inline enum store_result store_create(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                             const struct json **ret)
{
    return s->ops->create(s, a, object, diags, ret);
}

/*
 * Writes everything but the status. metadata.resourceVersion must be the current one. An object that is being deleted is removed
 * with its last finalizer. An object without changes is not written and keeps its version.
 */
static inline enum store_result store_update(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                             const struct json **ret)
{
    return s->ops->update(s, a, object, diags, ret);
}

/* Writes only the status and ignores other differences, but metadata.resourceVersion must be the current one. */
static inline enum store_result store_update_status(struct store *s, struct arena *a, const struct json *object,
                                                    struct diags *diags, const struct json **ret)
{
    return s->ops->update_status(s, a, object, diags, ret);
}

/*
 * Deletes the object at once, or sets its deletionTimestamp while it has finalizers. `*ret` is the marked object, or the deleted
 * object's last state with the version of its deletion.
 */
static inline enum store_result store_remove(struct store *s, struct arena *a, const struct store_key *key,
                                             const struct store_preconditions *must, struct diags *diags, const struct json **ret)
{
    return s->ops->remove(s, a, key, must, diags, ret);
}

/* Watches every change after `version`, which comes from a list or an object. */
static inline enum store_result store_watch_open(struct store *s, const struct store_query *query, struct str version,
                                                 struct diags *diags, struct store_watch **ret)
{
    return s->ops->watch(s, query, version, diags, ret);
}

/*
 * Waits until `deadline` for the next change, in order, none missing and none twice. Objects that begin to match the query's
 * selector are ADDED, those that cease to match are DELETED. A slow reader does not hold up others; a watch that falls behind by
 * more than STORE_MAX_HISTORY changes ends with STORE_EXPIRED.
 */
static inline enum store_result store_watch_next(struct store_watch *w, struct arena *a, int64_t deadline, struct diags *diags,
                                                 struct store_change *ret)
{
    return w->ops->watch_next(w, a, deadline, diags, ret);
}

/* May be called from any thread: current and later calls of store_watch_next() return STORE_STOPPED. */
static inline void store_watch_stop(struct store_watch *w)
{
    w->ops->watch_stop(w);
}

/* Accepts NULL. Close all watches before the store. */
static inline void store_watch_close(struct store_watch *w)
{
    if (w)
        w->ops->watch_close(w);
}

/* Records an event. There is one for each object, type, reason and message; repetitions increase its count. */
static inline enum store_result store_record(struct store *s, const struct store_event *event, struct diags *diags)
{
    return s->ops->record(s, event, diags);
}

/* The events of the object with this uid; empty: all events. */
static inline enum store_result store_events(struct store *s, struct arena *a, struct str uid, struct diags *diags,
                                             struct store_events *ret)
{
    return s->ops->events(s, a, uid, diags, ret);
}

/*
 * Is this process still the one that reconciles the store? Opening the store takes the lease; check this before acting on
 * objects.
 */
static inline bool store_holds_lease(struct store *s)
{
    return s->ops->holds_lease(s);
}

/* Accepts NULL. */
static inline void store_close(struct store *s)
{
    if (s)
        s->ops->close(s);
}
