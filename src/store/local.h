/*
 * The SQLite store from inside. One connection writes, behind one lock; readers have connections of their own, as many as there
 * are readers at once, and some are kept for the next ones. Other processes may write between any two transactions: what is
 * counted here is counted again when they did (local_recount), and a thread looks for their changes while there are watches.
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
#define LOCAL_LOOK_NS (100 * NS_PER_MS) /* so often other processes' changes are looked for */

/* Rows of the table `meta`: the last version that no watch can see any more; a sealed text that tells whether the key is right.
 */
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

    pthread_mutex_t write_lock; /* of the five below */
    struct db writer;
    int64_t data_version; /* SQLite's, when the two below were counted: another one after another process has written */
    int64_t history_bytes;
    int64_t n_events;
    _Atomic uint64_t commits; /* so far, of this process; it grows under the lock */

    int log;                    /* SQLite's */
    pthread_mutex_t flush_lock; /* of the four below */
    pthread_cond_t flush_ended;
    bool flushing;
    uint64_t flushed; /* commits up to this one are durable */
    int flush_error;  /* for ever */

    pthread_mutex_t readers_lock; /* of the two below */
    struct local_reader *readers;
    size_t n_readers;

    pthread_mutex_t watch_lock; /* of what stands below, and of the watches' `stopped`; taken last */
    pthread_cond_t changed;
    int64_t head; /* the last version that is known to be committed */
    size_t n_watches;
    bool looks; /* the thread below runs */
    bool closing;
    pthread_cond_t look; /* a first watch, or the end */

    pthread_t looker;
    struct db looker_db; /* its own */
};

static inline struct local *local_of(struct store *s)
{
    return (struct local *)s; /* its first member */
}

/* In a transaction of the writer: are `history_bytes` and `n_events` still right? Otherwise they are counted. */
bool local_recount(struct local *s);
/* The end of the thread that looks for changes of other processes. */
void local_stop_looking(struct local *s);
/* Versions up to this one are committed: whoever watches is woken if that is news. */
void local_publish(struct local *s, int64_t version);

/* flush.c: SQLite's log, once the database is open. */
bool local_flush_open(struct local *s, struct diags *diags);
/* With no lock held: returns when this commit is durable. False and a diagnostic: it may not be, and nothing will be any more. */
bool local_flush(struct local *s, uint64_t commit, struct diags *diags);

/* A connection for reading; NULL and a diagnostic. */
struct local_reader *local_take_reader(struct local *s, struct diags *diags);
void local_give_reader(struct local *s, struct local_reader *r);

/* The object of a row that begins with version, uid, labels, body. NULL and a diagnostic: damaged, or not our key. */
const struct json *local_row_object(struct local *s, struct arena *a, sqlite3_stmt *q, bool is_secret, struct diags *diags);
/* Is it of the kind and namespace that are asked for? */
bool local_is_asked_for(const struct store_query *query, struct str group, struct str kind, struct str namespace);
/* Do these labels (JSON, or nothing) match? */
bool local_labels_match(const struct selector *selector, struct str labels);

/* What a version's secret is bound to. */
struct str local_context(struct arena *a, struct str uid, int64_t version);

/* An object as it is stored now. */
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
