/*
 * A store in a folder of its own (0700): store.db, store.key, store.lock, each 0600. One process reconciles the store (it has the
 * lease); any number of others visit it: they read, write and watch, whether or not a process reconciles.
 */
#pragma once

#include "base/clock.h"
#include "store/store.h"

#define STORE_SQLITE_DATABASE "store.db"
#define STORE_SQLITE_KEY "store.key"
#define STORE_SQLITE_LOCK "store.lock"

struct store_sqlite_options {
    bool visit;                /* do not take the lease; the store must exist, in this program's format */
    const struct clock *clock; /* NULL: the system clock */
    /* Smaller limits than store.h's, for tests; 0: store.h's. */
    int64_t max_history, max_history_bytes, max_events;
};

/*
 * `options` may be NULL. Returns NULL and a diagnostic when the store is in use (by whom), missing, damaged or newer than this
 * program, when the key is wrong, or when others can read the folder or its files.
 */
struct store *store_sqlite_open(const char *folder, const struct store_sqlite_options *options, struct diags *diags);

/* Does a process hold the lease of this folder's store now? */
bool store_sqlite_is_reconciled(const char *folder);

/*
 * Copies the database as it is at one moment, while it is in use, to one file (0600), which is complete or absent. The key is not
 * in it, so its Secrets can be read only together with store.key (or TERRANE_STORE_KEY).
 */
bool store_sqlite_backup(struct store *s, const char *path, struct diags *diags);

/* Replaces the folder's database, which no process may have open, by a backup. Refuses a file that is not an undamaged backup. */
bool store_sqlite_restore(const char *path, const char *folder, struct diags *diags);
