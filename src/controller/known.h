/*
 * What is remembered of the managed objects, a few hundred bytes each: what was last seen of them, their condition, and what they
 * use, so that a change of a Secret finds the objects that depend on it.
 *
 * Objects and what they use have keys of the same form, called KEY below: "GROUP/KIND/NAMESPACE/NAME". With "*" for the last two,
 * a key means any object of the kind, for users that select by labels.
 *
 * All functions may be called from any thread. An object's entry belongs to the worker that has its key (reconcile/queue.h
 * ensures that there is only one): only that worker may forget it, and access the fields marked below.
 */
#pragma once

#include "controller/kinds.h"
#include "reconcile/reconcile.h"
#include "store/store.h"

#include <stdatomic.h>

struct str key_text(struct arena *a, const struct store_key *key);
struct str key_text_any(struct arena *a, struct str group, struct str kind);
/* The parts of a KEY; they point into it. */
struct store_key key_parse(struct str text);

enum known_phase {
    KNOWN_MOVING, /* no pass yet, or work is in progress */
    KNOWN_READY,
    KNOWN_PAUSED,
    KNOWN_FAILING,
};

/*
 * A change that the watch shows may be our own: it arrives after the write, but perhaps before the writer can record it, and
 * perhaps after later writes. So the versions of an object's last own writes are remembered, and a version that is seen during a
 * pass and is none of them is judged at the end of the pass.
 */
enum { KNOWN_OWN_WRITES = 16, KNOWN_UNJUDGED = 4 };
struct known_sighting {
    uint64_t version; /* a hash of the resource version */
    struct reconcile_sight sight;
};

/* How much of the object's beginning this process has seen. */
enum known_life { KNOWN_UNREAD, KNOWN_NEW, KNOWN_NOT_READY_YET, KNOWN_OLD };

struct running; /* operation.c */
struct use;

struct known_object {
    const struct kind *kind;
    struct str key;
    _Atomic uint64_t shard; /* from when the object was last seen; 0: not known yet */
    /* Only for the worker: */
    struct running *running; /* the last operation begun, until it is reported; NULL: none */
    struct str usage;        /* KEY of the ProviderConfig whose use is recorded, and the uid of the user; empty: none yet */
    struct str usage_uid;
    enum known_life life;
    uint64_t late_refused;     /* hash of a late initialisation that the provider rejected */
    int64_t unchanged_at;      /* monotonic: when the resource was last up to date, or was updated; 0: never */
    int64_t due_at;            /* when the next poll is due; 0: not scheduled */
    bool creation_unknown;     /* until a pass has found the outcome, and the journal's record can be removed */
    bool settle_when_observed; /* the journal's record can be removed when the resource has been observed */
    bool asked_meanwhile;      /* something has changed while an operation ran */
    bool journal_read;         /* used where the journal is read at the first turn, not at startup */
    /* Private: */
    struct known_object *next;
    struct reconcile_sight sight;
    uint64_t own[KNOWN_OWN_WRITES]; /* hashes of versions; the oldest is overwritten */
    size_t n_own;                   /* total so far */
    struct known_sighting unjudged[KNOWN_UNJUDGED];
    size_t n_unjudged; /* may exceed the array: then one of the changes counts as somebody else's */
    bool seen, dirty, working;
    enum known_phase phase;
    unsigned failures;          /* failed passes in a row */
    unsigned failed_operations; /* failed operations in a row: a pass between them only begins the next one */
    unsigned vain_updates;      /* updates in a row after which the resource still differed */
    uint64_t claim;             /* hash of what identifies its resource; 0: nothing yet */
    struct known_object *next_claim;
    struct use *uses;
    struct use *config; /* the one of them that is its ProviderConfig; NULL: not known yet */
};

struct known_keys {
    struct str *v;
    size_t n, cap;
};

struct known;
struct known *known_new(void);
void known_free(struct known *k); /* NULL is accepted; workers must have given back what they own */

/* The entry; created if there is none. */
struct known_object *known_get(struct known *k, const struct kind *kind, struct str key);
/* Called by the object's worker: the object is gone. */
void known_forget(struct known *k, struct known_object *o);

/* The object was seen in the store, with this shard: is that worth a pass? Creates the entry if there is none. */
bool known_saw(struct known *k, const struct kind *kind, struct str key, const struct json *object, uint64_t shard);
/* Sets the shard of an object; false: the object is not known. */
bool known_set_shard(struct known *k, struct str key, uint64_t shard);
/* Called by the object's worker: this version is its own write, and not worth a pass. */
void known_wrote(struct known *k, struct known_object *o, const struct json *object);

/*
 * Called by the object's worker: the object has this annotation and so identifies a resource. Returns KEYs, in `a`, of other
 * objects of the kind that may manage the same resource: those with the same external name and reference to the ProviderConfig.
 * Of the objects of other processes, those that have created a resource are left out if this object has created one, too: there
 * are then two resources.
 */
struct known_keys known_claim(struct known *k, struct arena *a, struct known_object *o, const struct json *object);

/*
 * An object of another process was seen: only what identifies its resource is remembered. Returns KEYs, in `a`, of objects here
 * that may manage the same resource, if that is news to them. An object that known_saw() sees counts as this process's again.
 */
struct known_keys known_saw_elsewhere(struct known *k, struct arena *a, const struct kind *kind, struct str key,
                                      const struct json *object);
void known_gone_elsewhere(struct known *k, struct str key);
/*
 * Called by the object's worker, like known_forget(): another process owns it from now on. True: meanwhile it was seen as this
 * process's again, and that is forgotten, too.
 */
bool known_give_away(struct known *k, struct known_object *o);

/* --- who uses what --- */

/*
 * Called by the object's worker before it reads `key`: a change of that is noticed from now on, also while the pass that reads it
 * is not over.
 */
void known_use(struct known *k, struct known_object *o, struct str key);
bool known_is_used(struct known *k, struct str key);
/* This version of something that may be used was read. True: it is used, and the version is another one than before. */
bool known_read(struct known *k, struct str key, const struct json *object);
/* Replaces the object's uses with what the last pass has read; `config` is one of them, or empty. */
void known_set_uses(struct known *k, struct known_object *o, const struct known_keys *uses, struct str config);
/* KEYs, in `a`, of the objects that use it. */
struct known_keys known_users(struct known *k, struct arena *a, struct str used);
/* How many objects use this ProviderConfig, or may use it because they had no pass yet. */
size_t known_count_users(struct known *k, const struct kind *kind, struct str config);
/* KEY of the object's ProviderConfig, in `a`; empty: not known yet. */
struct str known_config(struct known *k, struct arena *a, struct known_object *o);
/* The same by the object's key; the object need not be known. */
struct str known_config_of(struct known *k, struct arena *a, struct str key);

/* --- phases --- */

/* The object needs a pass. */
void known_wake(struct known *k, struct str key);
/* A pass begins. True: the object was woken since the last one. */
bool known_begin(struct known *k, struct known_object *o);
/* A pass has ended with this phase. True: somebody else has changed the object meanwhile, and another pass is due. */
bool known_end(struct known *k, struct known_object *o, enum known_phase phase);

struct known_counts {
    size_t objects, uses;
    size_t phases[KNOWN_FAILING + 1]; /* of managed objects; one that failed fewer than `tries` times counts as moving */
};
struct known_counts known_count(struct known *k, unsigned tries);
/* An operation has ended with this result. */
void known_operation_ended(struct known *k, struct known_object *o, bool failed);
/* The resource was up to date, or still differed after an update. */
void known_updated(struct known *k, struct known_object *o, bool in_vain);

/* Calls `each` for every managed object, with the lock held. */
void known_each(struct known *k, void (*each)(void *ctx, struct known_object *o), void *ctx);
