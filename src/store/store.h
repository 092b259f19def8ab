/*
 * Where managed resources live: objects shaped as Kubernetes has them, behind one table of functions. SQLite is one store
 * (sqlite.h), the Kubernetes API another (kube.h); who reconciles does not know which. README.md has the rules, what is left out,
 * and what differs between the two.
 *
 * An object is an immutable tree; it is changed by writing a new one. What a function returns is in the arena it was given and
 * may share parts with the object it was given. All functions may be called from any thread; a watch belongs to one at a time.
 *
 * Whatever is not STORE_OK, STORE_TIMEOUT or STORE_STOPPED comes with a diagnostic; ret_ outputs are written for STORE_OK only.
 */
#pragma once

#include "base/clock.h"
#include "base/json.h"
#include "store/selector.h"

enum {
    STORE_MAX_OBJECT = 3 << 19,         /* bytes of an object as JSON: 1.5 MiB, as etcd */
    STORE_MAX_NAME = 253,               /* bytes of a group, a kind, a namespace, a name */
    STORE_MAX_WATCHES = 256,            /* open at once */
    STORE_MAX_HISTORY = 10000,          /* changes that a watch can still begin at */
    STORE_MAX_HISTORY_BYTES = 64 << 20, /* of objects that are kept only for that */
    STORE_MAX_EVENTS = 10000,           /* kept, of all objects */
    STORE_MAX_EVENT_MESSAGE = 1024,     /* bytes, as Kubernetes has it; what is longer is cut */
    STORE_MAX_EVENT_WORD = 128,         /* bytes of an event's reason, as Kubernetes has it */
};
#define STORE_EVENT_AGE_NS (3600 * NS_PER_S) /* an event is kept so long after it was last seen, as Kubernetes has it */

enum store_result {
    STORE_OK,
    STORE_NOT_FOUND,
    STORE_EXISTS,    /* create: there is one of that name */
    STORE_CONFLICT,  /* the object is not the one that was read: read it again, change that, try again */
    STORE_INVALID,   /* it will never be accepted as it is */
    STORE_TOO_LARGE, /* as INVALID; the limit is STORE_MAX_OBJECT */
    STORE_TOO_MANY,  /* watches */
    STORE_EXPIRED,   /* watch: changes since that version are no longer known: list, then watch from the list's version. On
                      * Kubernetes also of a list that took too long: list again */
    STORE_TIMEOUT,   /* watch: nothing happened before the deadline */
    STORE_STOPPED,   /* watch: store_watch_stop() was called */
    STORE_FAILED,    /* the store does not work: disk, damage, network, rights. Nothing was written (of a create on Kubernetes
                      * whose connection broke that is not known); it may work later */
};

/* Which object. The version of its API is no part of that. */
struct store_key {
    struct str group, kind, namespace, name; /* group: empty for "v1"; namespace: empty for objects of the whole cluster */
};

/* Which objects. Empty: of any. A kind needs its group. */
struct store_query {
    struct str group, kind, namespace;
    const struct selector *selector; /* NULL: whatever the labels */
    /*
     * Of lists: is this object wanted? With the `ctx` of the list. One of which it says no is not read at all, where reading
     * costs something; a store that has it in hand may give it without asking. NULL: all are.
     */
    bool (*wants)(void *ctx, const struct store_key *key);
};

/* What must be true of an object for it to be deleted. Empty: anything. */
struct store_preconditions {
    struct str uid, version;
};

enum store_change_kind { STORE_ADDED = 1, STORE_MODIFIED, STORE_DELETED };

struct store_change {
    enum store_change_kind kind;
    const struct json *object; /* DELETED: as it was last, with the version of the deletion */
};

/* Something that happened to an object, for people. */
struct store_event {
    struct store_key about;
    struct str uid;                   /* of the object */
    struct str type, reason, message; /* type: "Normal" or "Warning" */
    /* Of those that are read: how often it was recorded, and when. */
    int64_t count, first_ns, last_ns;
};

struct store_events {
    const struct store_event *v; /* the latest last */
    size_t n;
};

struct store;
struct store_watch;

/* False: no more, please. `a` is emptied after each object. */
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
 * Calls `each` for the objects, in order of group, kind, namespace and name, all as they were at one moment: the version that is
 * returned, which a watch can go on from. `a` is for that version alone.
 */
static inline enum store_result store_list(struct store *s, struct arena *a, const struct store_query *query, store_each *each,
                                           void *ctx, struct diags *diags, struct str *ret_version)
{
    return s->ops->list(s, a, query, each, ctx, diags, ret_version);
}

/* uid, creationTimestamp, generation and resourceVersion are the store's; a status is dropped. generateName works. */
static inline enum store_result store_create(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                             const struct json **ret)
{
    return s->ops->create(s, a, object, diags, ret);
}

/*
 * All but the status. metadata.resourceVersion must be that of the object now. An object that is being deleted goes when its last
 * finalizer does. An object without a change is not written and keeps its version.
 */
static inline enum store_result store_update(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                             const struct json **ret)
{
    return s->ops->update(s, a, object, diags, ret);
}

/* The status alone; whatever else differs is ignored, but metadata.resourceVersion must be that of the object now. */
static inline enum store_result store_update_status(struct store *s, struct arena *a, const struct json *object,
                                                    struct diags *diags, const struct json **ret)
{
    return s->ops->update_status(s, a, object, diags, ret);
}

/*
 * Gone at once, or marked with deletionTimestamp while it has finalizers. `*ret` is the object as it was left, or as it was last,
 * with the version of its deletion.
 */
static inline enum store_result store_remove(struct store *s, struct arena *a, const struct store_key *key,
                                             const struct store_preconditions *must, struct diags *diags, const struct json **ret)
{
    return s->ops->remove(s, a, key, must, diags, ret);
}

/* Every change after `version`, which a list or an object had. */
static inline enum store_result store_watch_open(struct store *s, const struct store_query *query, struct str version,
                                                 struct diags *diags, struct store_watch **ret)
{
    return s->ops->watch(s, query, version, diags, ret);
}

/*
 * The next change, in order, none left out and none twice; waits for it until `deadline`. Objects that come to match the query's
 * selector are ADDED, those that cease to are DELETED. A watch that is read slowly costs nobody anything; one that falls behind
 * more than STORE_MAX_HISTORY changes ends with STORE_EXPIRED.
 */
static inline enum store_result store_watch_next(struct store_watch *w, struct arena *a, int64_t deadline, struct diags *diags,
                                                 struct store_change *ret)
{
    return w->ops->watch_next(w, a, deadline, diags, ret);
}

/* From any thread: who waits in store_watch_next(), or calls it later, gets STORE_STOPPED. */
static inline void store_watch_stop(struct store_watch *w)
{
    w->ops->watch_stop(w);
}

/* Accepts NULL. Before the store is closed. */
static inline void store_watch_close(struct store_watch *w)
{
    if (w)
        w->ops->watch_close(w);
}

/* One event for each object, type, reason and message: the same again is counted. */
static inline enum store_result store_record(struct store *s, const struct store_event *event, struct diags *diags)
{
    return s->ops->record(s, event, diags);
}

/* Those of the object with this uid; empty: all. */
static inline enum store_result store_events(struct store *s, struct arena *a, struct str uid, struct diags *diags,
                                             struct store_events *ret)
{
    return s->ops->events(s, a, uid, diags, ret);
}

/* Is this process still the one that reconciles what is in the store? Opening it takes the lease; who acts on objects asks. */
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
