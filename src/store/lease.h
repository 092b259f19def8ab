/*
 * Which processes use a store: locks on bytes of a file beside the database, which the kernel releases however the process ends.
 * One process reconciles, and the file names it; any number of others may use the database at the same time; replacing the
 * database needs exclusive access.
 */
#pragma once

#include "base/diag.h"

struct store_lease;

enum store_lease_kind {
    STORE_LEASE_VISIT,     /* one of any number of users */
    STORE_LEASE_RECONCILE, /* the one user that reconciles */
    STORE_LEASE_ALONE,     /* no other process has the database open */
};

/* Returns NULL and a diagnostic that names the holder when the lease is taken. */
struct store_lease *store_lease_take(const char *path, enum store_lease_kind kind, struct diags *diags);
/* Does any process reconcile? */
bool store_lease_is_taken(const char *path);
/* Is this the process that reconciles: did it take STORE_LEASE_RECONCILE, and is its locked file still the one at the path? */
bool store_lease_held(const struct store_lease *l);
/* Accepts NULL. The file is not removed: otherwise two processes could each lock a file at the same path. */
void store_lease_release(struct store_lease *l);
