/*
 * What is remembered of the objects that are taken care of, a few hundred bytes each: what of them was seen last, how they are,
 * and what they use, so that a change of a Secret finds those who wait for it.
 *
 * Objects and what they use have the same sort of key, KEY below: "GROUP/KIND/NAMESPACE/NAME". With "*" for the last two it
 * is any object of the kind, for who selects by labels.
 *
 * All functions may be called from any thread. An object's entry belongs to the worker that has its key (reconcile/queue.h sees
 * to it that there is one): only that one forgets it, and reads and writes what is marked so.
 */
#pragma once

#include "controller/kinds.h"
#include "reconcile/reconcile.h"
#include "store/store.h"

#include <stdatomic.h>

struct str key_text(struct arena *a, const struct store_key *key);
struct str key_text_any(struct arena *a, struct str group, struct str kind);
/* The parts of one, within it. */
struct store_key key_parse(struct str text);

enum known_phase {
    KNOWN_MOVING, /* not looked at yet, or on its way */
    KNOWN_READY,
    KNOWN_PAUSED,
    KNOWN_FAILING,
};

/*
 * A change that a watch shows may be our own: it comes after the write, but perhaps before the writer can say so, and perhaps
 * when later writes were made. So the versions of an object's last own writes are remembered, and what is seen during a pass and
 * is none of them is judged at its end.
 */
enum { KNOWN_OWN_WRITES = 16, KNOWN_UNJUDGED = 4 };
struct known_sighting {
    uint64_t version; /* a hash of it */
    struct reconcile_sight sight;
};

/* How much of its beginning this process has seen. */
enum known_life { KNOWN_UNREAD, KNOWN_NEW, KNOWN_NOT_READY_YET, KNOWN_OLD };

struct running; /* operation.c */
struct use;

struct known_object {
    const struct kind *kind;
    struct str key;
    _Atomic uint64_t shard; /* by what was seen of it last; 0: not known yet */
    /* The worker's own: */
    struct running *running; /* the operation that was begun last and is not reported; NULL: none */
    struct str usage;        /* KEY of the ProviderConfig whose use was recorded, and the uid in whose name; empty: none yet */
    struct str usage_uid;
    enum known_life life;
    uint64_t late_refused;     /* hash of a late initialisation that the provider did not accept */
    int64_t unchanged_at;      /* of the monotonic clock: when it was last as it should be, or made so; 0: not yet */
    int64_t due_at;            /* when its next look is due; 0: no such time */
    bool creation_unknown;     /* until a pass has found out, and the journal's record can go */
    bool settle_when_observed; /* the journal's record can go when the object was seen */
    bool journal_read;         /* where that is done at the first turn, not at the start */
    /* Private: */
    struct known_object *next;
    struct reconcile_sight sight;
    uint64_t own[KNOWN_OWN_WRITES]; /* hashes of versions; the oldest gives way */
    size_t n_own;                   /* so far */
    struct known_sighting unjudged[KNOWN_UNJUDGED];
    size_t n_unjudged; /* may be more: then some change counts as somebody else's */
    bool seen, dirty, working;
    enum known_phase phase;
    unsigned failures;          /* passes in a row that failed */
    unsigned failed_operations; /* operations in a row that did: passes between them only begin the next one */
    uint64_t claim;             /* hash of what may tell what it stands for; 0: nothing yet */
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
void known_free(struct known *k); /* NULL is accepted; what workers own must have been given back */

/* The entry; made where there is none. */
struct known_object *known_get(struct known *k, const struct kind *kind, struct str key);
/* By its worker: the object is gone. */
void known_forget(struct known *k, struct known_object *o);

/* The object was seen in the store, in this shard: is that worth a pass? Its entry is made where there is none. */
bool known_saw(struct known *k, const struct kind *kind, struct str key, const struct json *object, uint64_t shard);
/* Sets its shard, if it is known: is it? */
bool known_set_shard(struct known *k, struct str key, uint64_t shard);
/* By its worker: this is its own doing, and worth none. */
void known_wrote(struct known *k, struct known_object *o, const struct json *object);

/*
 * By its worker: with this annotation it stands for something. Keys of other objects of the same kind that may stand for the
 * same, in `a`: the external name and the reference to the ProviderConfig are the same. Of those elsewhere not who has created
 * something, when this one has, too: they are two things.
 */
struct known_keys known_claim(struct known *k, struct arena *a, struct known_object *o, const struct json *object);

/*
 * An object of another process was seen: all that is remembered of it is what it may stand for. Keys of objects here that may
 * stand for the same, in `a`, when that is news to them. What is seen here by known_saw() is no longer elsewhere.
 */
struct known_keys known_saw_elsewhere(struct known *k, struct arena *a, const struct kind *kind, struct str key,
                                      const struct json *object);
void known_gone_elsewhere(struct known *k, struct str key);
/* By its worker, as known_forget(): it is another process's from now on. */
void known_give_away(struct known *k, struct known_object *o);

/* --- who uses what --- */

/* What a pass has looked at, in place of what the one before had; `config` is one of them, or empty. */
void known_set_uses(struct known *k, struct known_object *o, const struct known_keys *uses, struct str config);
/* Keys of those who use it, in `a`. */
struct known_keys known_users(struct known *k, struct arena *a, struct str used);
/* How many objects use this ProviderConfig, or may: nobody has looked at them yet. */
size_t known_count_users(struct known *k, const struct kind *kind, struct str config);
/* KEY of its ProviderConfig, in `a`; empty: not known yet. */
struct str known_config(struct known *k, struct arena *a, struct known_object *o);
/* The same by the key of an object that may not be known. */
struct str known_config_of(struct known *k, struct arena *a, struct str key);

/* --- how they are --- */

/* There is something to do for it. */
void known_wake(struct known *k, struct str key);
/* A pass begins. True: it was woken since the last one. */
bool known_begin(struct known *k, struct known_object *o);
/* A pass has ended, and left it so. True: somebody else has changed it meanwhile, and another pass is due. */
bool known_end(struct known *k, struct known_object *o, enum known_phase phase);

struct known_counts {
    size_t objects, uses;
    size_t phases[KNOWN_FAILING + 1]; /* of managed objects; one that fails for less than `tries` times moves */
};
struct known_counts known_count(struct known *k, unsigned tries);
/* An operation has ended so. */
void known_operation_ended(struct known *k, struct known_object *o, bool failed);

/* Calls it for each managed object, with the lock held. */
void known_each(struct known *k, void (*each)(void *ctx, struct known_object *o), void *ctx);
