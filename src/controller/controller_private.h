/* Private to this folder: the controller, and the turn of a worker with one object. */
#pragma once

#include "base/lock.h"
#include "controller/controller.h"
#include "controller/known.h"
#include "managed/object.h"
#include "managed/poll.h"
#include "managed/sensitive.h"
#include "reconcile/journal.h"
#include "store/object.h"

#include <stdatomic.h>

struct controller {
    struct controller_options options;
    struct store *store;
    struct kinds *kinds;
    const struct clock *clock;
    struct log *log;
    struct known *known;
    struct queue *queue;
    struct journal journal;
    struct managed_poll poll;
    _Atomic uint64_t random; /* for jitter */
    atomic_bool stopping;
    bool started;
    pthread_t *workers;
    size_t n_workers;
    pthread_t watcher;
    struct metadata *metadata; /* metadata.c */
    pthread_mutex_t lock;      /* protects what follows */
    pthread_cond_t changed;    /* signalled when an operation has ended */
    struct store_watch *watch; /* used by the watcher; set under the lock, so that it can be stopped */
    char watched[64];          /* the store's version up to which changes are handled */
    size_t n_running;
    _Atomic uint64_t passes, failed, begun[3], lost[3], recovered, changes;
};

/* One turn of a worker with one object. */
struct turn {
    struct controller *c;
    struct arena *arena;
    struct known_object *known;
    const struct kind *kind;
    const struct xp_kind *model; /* NULL: a ProviderConfig */
    struct store_key key;
    const struct json *stored;      /* as in the store, as far as known here, with the writes that are still to be sent */
    const struct json *base;        /* as in the store; differs from `stored` only while writes are collected */
    const struct json *shown;       /* `stored` with the last written status; NULL: the object does not exist */
    struct known_keys uses;         /* the objects that the turn has read */
    struct str config;              /* KEY of the ProviderConfig among them */
    enum scheduler_failure failure; /* of the last observation */
    struct str failure_text;        /* set when the configuration is at fault, not the object */
    bool observed;                  /* the provider has answered */
    int64_t updated_generation;     /* of reconcile_options: the operation whose end was reported last was an update */
    bool deleted;                   /* the operation whose end was reported last was a deletion, and succeeded */
    bool late;                      /* the end of a creation is stored although another process may own the object by now */
    bool unwritten;                 /* the store does not take what an operation has left: nothing else is done before */
    struct str unwritten_why;
    bool is_preview;                     /* full plans are wanted (preview.h) */
    struct scheduler_session **sessions; /* ended with the turn */
    size_t n_sessions, sessions_cap;
};

/* --- turn.c --- */

/* The turn uses `a` until turn_end(). False: the kind has no model, which is logged. */
bool turn_begin(struct turn *t, struct controller *c, struct arena *a, struct known_object *known);
void turn_end(struct turn *t);
void turn_use(struct turn *t, struct str key);
/* Errors in one line: "summary: detail; summary: detail". */
struct str says(struct arena *a, const struct diags *diags);
struct reconcile_answer answer_failed(struct str message);
struct reconcile_answer answer_of(struct turn *t, enum store_result result, const struct diags *diags);
/* Reports the object's age to the controller's timer, counted from the time `since` in its metadata. */
void turn_tell_age(struct turn *t, const struct json *object, const char *since, enum controller_time what);
/* Everything that a worker does with the object that it took. */
void turn_run(struct controller *c, const struct queue_item *item, bool held);
/*
 * Writes the end of an operation, if there is one, into the object. False: the operation failed, or (`unwritten`) the store fails
 * and the end is still to be reported.
 */
bool turn_report_end(struct turn *t);
/* Acts on a journal record: at startup (`new` false), or right after the end of the operation. */
void turn_settle(struct turn *t, struct journal_entry *entry, bool new);
struct reconcile_options turn_options(const struct turn *t);
/* Adds an object to the queue. */
void controller_wake(struct controller *c, struct str key, enum queue_priority priority);
/* The shard number of an object, from its current content (0: there are no shards), and whether this process owns it. */
uint64_t controller_shard_of(const struct controller *c, const struct store_key *key, const struct json *object);
bool controller_owns(const struct controller *c, uint64_t shard);
/* Adds all objects that use this one to the queue. */
void controller_wake_users(struct controller *c, struct arena *a, struct str used);

/* --- objects.c, references.c, connection_secret.c: the object side --- */

struct reconcile_objects objects_of(struct turn *t);
/* Reads the turn's own object, or takes it as this turn has changed it. */
enum store_result turn_read(struct turn *t, struct diags *diags);
/* Sends the collected writes. False, after a line in the log: they could not be written. */
bool turn_flush(struct turn *t);
/* Reads another object and records it as used. NULL: there is none (or, with a diagnostic, it could not be read). */
const struct json *turn_get(struct turn *t, const struct store_key *key, struct diags *diags);
/* A managed_secret_fn for a turn: the decoded data of a Secret, which is recorded as used. */
const struct json *turn_secret(void *turn, struct str namespace, struct str name);
struct reconcile_answer resolve_references(void *turn, const struct reconcile_call *call, const struct json **object);
struct reconcile_answer publish_connection(void *turn, const struct reconcile_call *call, const struct json *object,
                                           const struct json *details);
struct reconcile_answer unpublish_connection(void *turn, const struct reconcile_call *call, const struct json *object);
bool wants_connection_secret(const struct json *object);
/* An owner reference to this object, with `controller` set. */
const struct json *owner_of(struct arena *a, const struct json *object);

/* --- setup.c: how the provider is configured for an object --- */

struct setup {
    struct scheduler *scheduler;
    struct scheduler_provider provider;
    const struct json *templates; /* what templates of ids see as .setup */
};
/* The key of the ProviderConfig that an object of the turn's kind names. */
bool setup_config(const struct turn *t, const struct json *object, struct diags *diags, struct store_key *ret);
bool setup_make(struct turn *t, const struct json *object, int64_t deadline, struct diags *diags, struct setup *ret);
/*
 * setup_upjet.c: adds what the spec of a ProviderConfig has beside `configuration` and `credentials`, under the provider's names
 * in any casing, to the configuration.
 */
const struct json *setup_beside(struct arena *a, const struct schema_block *block, const struct json *config,
                                const struct json *so_far);
/* Does the provider itself ask for a token with this source, as with an identity of Azure? */
bool setup_is_identity(struct str source);
/* Adds what ProviderConfigs of Upjet's providers have in forms of their own to the configuration. */
const struct json *setup_upjet(struct arena *a, const struct kinds_provider *provider, const struct json *config,
                               const struct json *so_far);
struct metadata *metadata_new(void);
void metadata_free(struct metadata *m);
/* metadata.c: facts about the account that this kind's templates of ids need; asked once per configuration. */
bool metadata_add(struct turn *t, int64_t deadline, struct diags *diags, struct setup *setup);

/* --- usage.c: ProviderConfigs and their users --- */

/* Records that this object uses its ProviderConfig; does nothing if that was recorded before. */
bool usage_note(struct turn *t, const struct json *object, struct diags *diags);
/* Removes the record, when the object is removed. */
bool usage_drop(struct turn *t, struct str uid, struct diags *diags);
/* A usage was created or removed, perhaps by another process: the users of its ProviderConfig are counted again soon. */
void usage_seen(struct controller *c, const struct kind *kind, const struct json *usage);
/* A turn with a ProviderConfig: its finalizer and the number of its users. */
void config_turn(struct turn *t);

/* --- external.c, operation.c, claim.c: the external side --- */

/* Called with a connection: fails if another object manages the same resource; the message names it. */
struct reconcile_answer claim(void *connection, const struct reconcile_call *call, const struct json *object);

struct reconcile_external external_of(struct turn *t);
/*
 * Observes and waits for the result. The session takes ownership of `a`. False: the controller stops, or the deadline has passed.
 */
bool turn_look(struct turn *t, struct scheduler *scheduler, struct arena *a, const struct scheduler_item *item, int64_t deadline,
               struct scheduler_session **ret);

struct external_connection {
    struct turn *turn;
    struct setup setup;
    struct scheduler_session *session; /* NULL: not observed */
    const struct json *comparable;     /* a creation with unknown outcome is looked up by this; NULL: by other means */
};

/* Starts the operation that the connection's session has planned, after writing the journal. */
struct reconcile_answer operation_begin(struct external_connection *x, enum reconcile_operation operation,
                                        const struct json *object, struct reconcile_change *ret);
struct reconcile_answer operation_announce(struct turn *t, const struct json *object);
bool operation_is_running(const struct known_object *o);
/*
 * Was one begun whose end is not reported yet? That is what a pass asks: to it, an operation that ends meanwhile is still under
 * way, because what has become of it is only known once it is reported, between two passes.
 */
bool operation_is_open(const struct known_object *o);
bool operation_is_delete(const struct known_object *o);
bool operation_is_create(const struct known_object *o);
/* Do only its marks tell of a creation of this kind, and not the journal? Then what may have been made is looked up in a list. */
bool operation_only_marks(const struct turn *t);
int64_t operation_started(const struct known_object *o);
/*
 * Called in the object's turn when the option `sparing` is set: waits until `until`; true if the operation has ended. An end
 * during the wait does not wake the object, because a failing operation would then be repeated without a pause. A later end wakes
 * it as usual.
 */
bool operation_await(struct controller *c, const struct known_object *o, int64_t until);
/* Asks the operation to stop; its end is still reported. */
void operation_cancel(struct known_object *o);
/* The entry of the operation that has ended and is not reported yet; NULL: there is none. */
struct journal_entry *operation_ended(const struct known_object *o);
/*
 * Stores what exists since the operation if its end could not, because the store failed then. False: it still fails, and nobody
 * else knows it. A state that the store will never take is given up: the external name still says what exists.
 */
bool operation_keep(struct controller *c, const struct known_object *o, struct diags *diags);
/*
 * For the end of an operation in a process that may no longer act: is `t->stored` still waiting for it, so that it may be stored?
 * Only a creation of which its object knows nothing yet is; everything else a new owner observes, and what it has done since must
 * not be overwritten. False: the store cannot tell.
 */
bool operation_is_missed(struct turn *t, struct diags *diags, bool *ret);
/* The end was reported: drops the operation. */
void operation_forget(struct known_object *o);

/* --- lookup.c: looks for a creation with unknown outcome in the provider's list --- */

bool lookup_can_list(const struct turn *t);
/* Can a data source find it by its tags? (`found_by_tags` of the configuration.) */
bool lookup_by_tags(const struct turn *t);
/* The part of a configuration that a list shows, without secrets. */
const struct json *lookup_comparable(const struct turn *t, const struct json *config);
/*
 * Implements reconcile_external.lookup(). `now` is the wanted configuration of today, used if the journal does not have that of
 * the creation; NULL: there is none.
 */
struct reconcile_answer lookup_in_list(struct external_connection *x, const struct reconcile_call *call, const struct json *now,
                                       const struct json **object, enum reconcile_found *ret);

/* --- kept.c: records of objects, stored beside them --- */

enum kept_kind { KEPT_STATE, KEPT_JOURNAL };
bool kept_remove(struct store *s, enum kept_kind kind, struct str uid, struct diags *diags);
/* *ret is empty if there is none. */
bool kept_get(struct store *s, struct arena *a, enum kept_kind kind, struct str uid, struct diags *diags, struct str *ret);
/*
 * Calls `each` for all records; `text` is empty if a record cannot be read. `wants` (NULL: all) selects objects; the records of
 * others are not read.
 */
typedef void kept_fn(void *ctx, struct str uid, struct str text);
typedef bool kept_wants(void *ctx, struct str uid);
bool kept_each(struct store *s, enum kept_kind kind, kept_wants *wants, kept_fn *each, void *ctx, struct diags *diags);
struct journal journal_in(struct store *s);
enum store_result state_keep(struct store *s, struct str uid, const struct state_instance *object, struct diags *diags);
/* The two halves of state_keep(): the text of a record (empty: there is nothing), and storing it. */
bool state_text(struct arena *a, const struct state_instance *object, struct diags *diags, struct str *ret);
enum store_result state_keep_text(struct store *s, struct str uid, struct str text, struct diags *diags);
/* Will the store never take this state? It is then no use to wait until it does. */
bool state_is_refused(enum store_result result);
/* *ret is NULL if nothing is kept. */
bool state_kept(struct store *s, struct arena *a, struct str uid, struct diags *diags, const struct state_instance **ret);

/* --- recover.c, watch.c --- */

/* Called after the objects were read and before the first turn. `uids` maps their uids to KEYs. */
bool controller_recover(struct controller *c, const struct map *uids, struct diags *diags);
/*
 * Reads the objects that have changed, or all, and opens the watch; it then runs until the controller stops. `uids` (may be NULL)
 * gets the KEYs of all managed objects by their uids, also of kinds that are not served at present.
 */
bool watch_begin(struct controller *c, bool all, struct map *uids, struct diags *diags);
/* Reads objects that this process owns but did not know; the watch continues. */
bool watch_take(struct controller *c, struct diags *diags);
void *watch_run(void *controller);
/* Closes the watch; called by the watcher, or when there is none. */
void watch_end(struct controller *c);
/* Have all changes in the store been handled? */
bool watch_is_current(struct controller *c);
