/*
 * A store in a folder of its own (0700): store.db, store.key, store.lock, each 0600. One process reconciles what is in it (it has
 * the lease); any number of others visit: they read, write and watch beside it, or without it.
 */
#pragma once

#include "base/clock.h"
#include "store/store.h"

#define STORE_SQLITE_DATABASE "store.db"
#define STORE_SQLITE_KEY "store.key"
#define STORE_SQLITE_LOCK "store.lock"

struct store_sqlite_options {
    bool visit;                /* without the lease; the store must exist, and have the format of this program */
    const struct clock *clock; /* NULL: the machine's */
    /* Smaller bounds than store.h's, for tests; 0: those. */
    int64_t max_history, max_history_bytes, max_events;
};

/* `options` may be NULL. NULL and a diagnostic: in use (by whom), not there, damaged, newer than this program, wrong key, not
 * private. */
struct store *store_sqlite_open(const char *folder, const struct store_sqlite_options *options, struct diags *diags);

/* Does a process have the lease of this folder's store now? */
bool store_sqlite_is_reconciled(const char *folder);

/*
 * A copy of the database as it is at one moment, while it is used: one file (0600), complete or not there. The key is not in it,
 * so Secrets in it can be read only together with store.key (or TERRANE_STORE_KEY).
 */
bool store_sqlite_backup(struct store *s, const char *path, struct diags *diags);

/* Puts a backup in the place of the folder's database, which no process may have open. A file that is not a sound backup is
 * refused. */
bool store_sqlite_restore(const char *path, const char *folder, struct diags *diags);
