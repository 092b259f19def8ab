/*
 * Internals of the SQLite store. One connection writes, behind one lock. Each concurrent reader has its own connection, and some
 * idle ones are kept. Other processes may write between any two transactions: after that, our counts are recomputed
 * (local_recount). While there are watches, a thread polls for changes by other processes.
 */
#pragma once

#include "base/lock.h"
#include "store/db.h"
#include "store/lease.h"
#include "store/rules.h"
#include "store/seal.h"
#include "store/sqlite.h"

#include <stdatomic.h>

enum { LOCAL_IDLE_READERS = 8 };
#define LOCAL_LOOK_NS (100 * NS_PER_MS) /* interval of polling for changes by other processes */

/* Rows of the table `meta`: the last version that no watch can start at any more; a sealed text to check the key. */
#define LOCAL_COMPACTED "compacted"
#define LOCAL_KEY_CHECK "key check"

struct local_reader {
    struct db db;
    struct local_reader *next;
};

struct local {
    struct store store;
    const struct clock *clock;
    int64_t max_history, max_history_bytes, max_events;
    char *path;
    struct store_lease *lease;
    struct sealer *sealer;

    pthread_mutex_t write_lock; /* guards the five members below */
    struct db writer;
    int64_t data_version; /* SQLite's data_version when the two counts below were made; it differs after another process has
                           * written */
    int64_t history_bytes;
    int64_t n_events;
    _Atomic uint64_t commits; /* of this process so far; incremented under the lock */

    int log;                    /* file descriptor of SQLite's log */
    pthread_mutex_t flush_lock; /* guards the four members below */
    pthread_cond_t flush_ended;
    bool flushing;
    uint64_t flushed; /* commits up to this one are durable */
    int flush_error;  /* errno of a failed flush; permanent */

    pthread_mutex_t readers_lock; /* guards the two members below */
    struct local_reader *readers;
    size_t n_readers;

    pthread_mutex_t watch_lock; /* guards the members below and `stopped` of the watches; taken last */
    pthread_cond_t changed;
    int64_t head; /* the last version known to be committed */
    size_t n_watches;
    bool looks; /* the thread `looker` is running */
    bool closing;
    pthread_cond_t look; /* wakes the thread: first watch opened, or store closing */

    pthread_t looker;
    struct db looker_db; /* used by that thread only */
};

static inline struct local *local_of(struct store *s)
{
    return (struct local *)s; /* its first member */
}

/* Recounts `history_bytes` and `n_events` if another process has written. Call it in a transaction of the writer. */
bool local_recount(struct local *s);
/* Stops the thread that polls for changes by other processes. */
void local_stop_looking(struct local *s);
/* Records that versions up to this one are committed, and wakes watches if that is news. */
void local_publish(struct local *s, int64_t version);

/* flush.c: opens SQLite's log, once the database is open. */
bool local_flush_open(struct local *s, struct diags *diags);
/*
 * Returns when this commit is durable; call it without holding a lock. False and a diagnostic: the commit may not be durable, and
 * no later one will be.
 */
bool local_flush(struct local *s, uint64_t commit, struct diags *diags);

/* A connection for reading; NULL and a diagnostic. */
struct local_reader *local_take_reader(struct local *s, struct diags *diags);
void local_give_reader(struct local *s, struct local_reader *r);

/*
 * The object of a row that begins with version, uid, labels, body. NULL and a diagnostic: the row is damaged, or the key is not
 * ours.
 */
const struct json *local_row_object(struct local *s, struct arena *a, sqlite3_stmt *q, bool is_secret, struct diags *diags);
/* Does the query cover this kind and namespace? */
bool local_is_asked_for(const struct store_query *query, struct str group, struct str kind, struct str namespace);
/* Do these labels (JSON, or nothing) match? */
bool local_labels_match(const struct selector *selector, struct str labels);

/* The context to which the sealed secret of a version is bound (seal.h). */
struct str local_context(struct arena *a, struct str uid, int64_t version);

/* An object in its current version. */
struct local_found {
    int64_t version, bytes;
    struct str labels;
    const struct json *object;
};
enum store_result local_find(struct local *s, struct db *db, struct arena *a, const struct store_key *key, struct diags *diags,
                             struct local_found *ret);

/* The operations (store.h). */
enum store_result local_get(struct store *s, struct arena *a, const struct store_key *key, struct diags *diags,
                            const struct json **ret);
enum store_result local_list(struct store *s, struct arena *a, const struct store_query *query, store_each *each, void *ctx,
                             struct diags *diags, struct str *ret_version);
enum store_result local_create(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                               const struct json **ret);
enum store_result local_update(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                               const struct json **ret);
enum store_result local_update_status(struct store *s, struct arena *a, const struct json *object, struct diags *diags,
                                      const struct json **ret);
enum store_result local_remove(struct store *s, struct arena *a, const struct store_key *key,
                               const struct store_preconditions *must, struct diags *diags, const struct json **ret);
enum store_result local_watch(struct store *s, const struct store_query *query, struct str version, struct diags *diags,
                              struct store_watch **ret);
enum store_result local_watch_next(struct store_watch *w, struct arena *a, int64_t deadline, struct diags *diags,
                                   struct store_change *ret);
void local_watch_stop(struct store_watch *w);
void local_watch_close(struct store_watch *w);
enum store_result local_record(struct store *s, const struct store_event *event, struct diags *diags);
enum store_result local_events(struct store *s, struct arena *a, struct str uid, struct diags *diags, struct store_events *ret);
