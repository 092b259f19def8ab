/* Private to this folder: the controller, and one turn of a worker with one object. */
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
    pthread_mutex_t lock;      /* of what follows */
    pthread_cond_t changed;    /* an operation has ended */
    struct store_watch *watch; /* the watcher's; under the lock so that it can be stopped */
    char watched[64];          /* the store's version up to which changes were handled */
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
    const struct json *stored;           /* as the store has it, as far as known here, or will when all is written */
    const struct json *base;             /* as the store has it; other than `stored` only where writes are gathered */
    const struct json *shown;            /* the same with the status that was written last; NULL: there is no such object */
    struct known_keys uses;              /* what was looked at */
    struct str config;                   /* of these its ProviderConfig */
    enum scheduler_failure failure;      /* of the last observation */
    struct str failure_text;             /* when it is the fault of the configuration, not of the object */
    bool observed;                       /* the provider has answered */
    bool is_preview;                     /* plans are wanted in full (preview.h) */
    struct scheduler_session **sessions; /* they end with the turn */
    size_t n_sessions, sessions_cap;
};

/* --- turn.c --- */

/* `a` is the turn's until the end. False: the kind has no model, which is logged. */
bool turn_begin(struct turn *t, struct controller *c, struct arena *a, struct known_object *known);
void turn_end(struct turn *t);
void turn_use(struct turn *t, struct str key);
/* Errors in one line: "summary: detail; summary: detail". */
struct str says(struct arena *a, const struct diags *diags);
struct reconcile_answer answer_failed(struct str message);
struct reconcile_answer answer_of(struct turn *t, enum store_result result, const struct diags *diags);
/* The controller's timer is told how old this object is: since one of its metadata's times. */
void turn_tell_age(struct turn *t, const struct json *object, const char *since, enum controller_time what);
/* All that an object's worker does once it has it. */
void turn_run(struct controller *c, const struct queue_item *item, bool held);
/* The end of an operation, if there is one, goes into the object. False: it did not succeed. */
bool turn_report_end(struct turn *t);
/* What a record of the journal says is done: at the start (`new` false), or right after the end of the operation. */
void turn_settle(struct turn *t, struct journal_entry *entry, bool new);
struct reconcile_options turn_options(const struct turn *t);
/* Puts an object into the queue. */
void controller_wake(struct controller *c, struct str key, enum queue_priority priority);
/* The number of an object's shard, by what is seen of it now, and whether it is this process's. 0: there are no shards. */
uint64_t controller_shard_of(const struct controller *c, const struct store_key *key, const struct json *object);
bool controller_owns(const struct controller *c, uint64_t shard);
/* Those who use this. */
void controller_wake_users(struct controller *c, struct arena *a, struct str used);

/* --- objects.c, references.c, connection_secret.c: the object side --- */

struct reconcile_objects objects_of(struct turn *t);
/* Reads the turn's own object, or takes it as this turn has made it. */
enum store_result turn_read(struct turn *t, struct diags *diags);
/* What was gathered is written. False, and a line in the log: it could not be. */
bool turn_flush(struct turn *t);
/* An object, remembered as used. NULL: there is none (or it could not be read: a diagnostic). */
const struct json *turn_get(struct turn *t, const struct store_key *key, struct diags *diags);
/* Data of a Secret, decoded, remembered as used: a managed_secret_fn, of a turn. */
const struct json *turn_secret(void *turn, struct str namespace, struct str name);
struct reconcile_answer resolve_references(void *turn, const struct reconcile_call *call, const struct json **object);
struct reconcile_answer publish_connection(void *turn, const struct reconcile_call *call, const struct json *object,
                                           const struct json *details);
struct reconcile_answer unpublish_connection(void *turn, const struct reconcile_call *call, const struct json *object);
bool wants_connection_secret(const struct json *object);
/* An owner reference to this object, as its controller. */
const struct json *owner_of(struct arena *a, const struct json *object);

/* --- setup.c: how the provider is configured for an object --- */

struct setup {
    struct scheduler *scheduler;
    struct scheduler_provider provider;
    const struct json *templates; /* what templates of ids call .setup */
};
/* Which ProviderConfig an object of the turn's kind names. */
bool setup_config(const struct turn *t, const struct json *object, struct diags *diags, struct store_key *ret);
bool setup_make(struct turn *t, const struct json *object, int64_t deadline, struct diags *diags, struct setup *ret);
/* setup_upjet.c: the configuration with what the spec of a ProviderConfig has beside `configuration` and `credentials`, under the
 * provider's names in any casing. */
const struct json *setup_beside(struct arena *a, const struct schema_block *block, const struct json *config,
                                const struct json *so_far);
/* Does the provider ask for a token by itself, as an identity of Azure? */
bool setup_is_identity(struct str source);
/* The configuration with what ProviderConfigs of Upjet's providers have in a form of their own. */
const struct json *setup_upjet(struct arena *a, const struct kinds_provider *provider, const struct json *config,
                               const struct json *so_far);
struct metadata *metadata_new(void);
void metadata_free(struct metadata *m);
/* metadata.c: what templates of ids of this kind want to know about the account, asked once for a configuration. */
bool metadata_add(struct turn *t, int64_t deadline, struct diags *diags, struct setup *setup);

/* --- usage.c: ProviderConfigs and who uses them --- */

/* That this object uses its ProviderConfig is recorded; does nothing when it was before. */
bool usage_note(struct turn *t, const struct json *object, struct diags *diags);
/* The object goes. */
bool usage_drop(struct turn *t, struct str uid, struct diags *diags);
/* A usage has come or gone, perhaps by another process: its ProviderConfig is counted again soon. */
void usage_seen(struct controller *c, const struct kind *kind, const struct json *usage);
/* A turn with a ProviderConfig: its finalizer, how many use it. */
void config_turn(struct turn *t);

/* --- external.c, operation.c, claim.c: the external side --- */

/* Is what this object stands for another's? Then the answer says whose. Of a connection. */
struct reconcile_answer claim(void *connection, const struct reconcile_call *call, const struct json *object);

struct reconcile_external external_of(struct turn *t);
/* Looks and waits. `a` is the session's. False: the controller stops, or time is up. */
bool turn_look(struct turn *t, struct scheduler *scheduler, struct arena *a, const struct scheduler_item *item, int64_t deadline,
               struct scheduler_session **ret);

struct external_connection {
    struct turn *turn;
    struct setup setup;
    struct scheduler_session *session; /* NULL: not observed */
    const struct json *comparable;     /* what a creation is looked up by, should its end stay unknown; NULL: by other means */
};

/* Begins what the connection's session has planned; the journal first. */
struct reconcile_answer operation_begin(struct external_connection *x, enum reconcile_operation operation,
                                        const struct json *object, struct reconcile_change *ret);
struct reconcile_answer operation_announce(struct turn *t, const struct json *object);
bool operation_is_running(const struct known_object *o);
bool operation_is_delete(const struct known_object *o);
int64_t operation_started(const struct known_object *o);
/*
 * By the object's turn, where options say `sparing`: has it ended by then? One that ends while it is waited for wakes nobody, or
 * what fails would be begun again without a pause. The end of one that takes longer wakes the object, as it does everywhere else.
 */
bool operation_await(struct controller *c, const struct known_object *o, int64_t until);
/* Asks it to stop; it still comes to its end. */
void operation_cancel(struct known_object *o);
/* The record of the one that has ended and is not reported; NULL: there is none. */
struct journal_entry *operation_ended(const struct known_object *o);
/* It was reported. */
void operation_forget(struct known_object *o);

/* --- lookup.c: a creation whose end nobody knows, in the provider's list --- */

bool lookup_can_list(const struct turn *t);
/* What of a configuration without secrets a list shows. */
const struct json *lookup_comparable(const struct turn *t, const struct json *config);
/* As reconcile_external.lookup(). `now` is what is wanted now, for where the journal does not know what was; NULL: nothing. */
struct reconcile_answer lookup_in_list(struct external_connection *x, const struct reconcile_call *call, const struct json *now,
                                       const struct json **object, enum reconcile_found *ret);

/* --- kept.c: what is kept of objects beside them --- */

enum kept_kind { KEPT_STATE, KEPT_JOURNAL };
bool kept_remove(struct store *s, enum kept_kind kind, struct str uid, struct diags *diags);
/* Empty: there is none. */
bool kept_get(struct store *s, struct arena *a, enum kept_kind kind, struct str uid, struct diags *diags, struct str *ret);
/* `text` is empty when the record cannot be read. `wants` (NULL: all) says of which objects; others' are not even read. */
typedef void kept_fn(void *ctx, struct str uid, struct str text);
typedef bool kept_wants(void *ctx, struct str uid);
bool kept_each(struct store *s, enum kept_kind kind, kept_wants *wants, kept_fn *each, void *ctx, struct diags *diags);
struct journal journal_in(struct store *s);
bool state_keep(struct store *s, struct str uid, const struct state_instance *object, struct diags *diags);
/* NULL: nothing is kept. */
bool state_kept(struct store *s, struct arena *a, struct str uid, struct diags *diags, const struct state_instance **ret);

/* --- recover.c, watch.c --- */

/* After the objects were taken in, before the first turn. `uids`: of those objects -> KEY. */
bool controller_recover(struct controller *c, const struct map *uids, struct diags *diags);
/*
 * Takes in the objects that have changed, or all, and opens the watch; then it watches until the controller stops. `uids` (may be
 * NULL) gets KEYs of all managed objects by their uids, also of those that nobody serves just now.
 */
bool watch_begin(struct controller *c, bool all, struct map *uids, struct diags *diags);
/* Takes in what is ours and was not known; the watch goes on. */
bool watch_take(struct controller *c, struct diags *diags);
void *watch_run(void *controller);
/* Has every change that the store has now been handled? */
bool watch_is_current(struct controller *c);
