/*
 * Who has a store: locks on bytes of a file beside the database, which go with the process however it ends. One process
 * reconciles, and the file says which; any number of others may use the database beside it; who replaces it is alone.
 */
#pragma once

#include "base/diag.h"

struct store_lease;

enum store_lease_kind {
    STORE_LEASE_VISIT,     /* one of many */
    STORE_LEASE_RECONCILE, /* the one of many who acts on what is in the store */
    STORE_LEASE_ALONE,     /* nobody else has the database open */
};

/* NULL and a diagnostic that says who holds it. */
struct store_lease *store_lease_take(const char *path, enum store_lease_kind kind, struct diags *diags);
/* Does any process reconcile? */
bool store_lease_is_taken(const char *path);
/* Is this the process that reconciles: was it asked to be, and is the file that is locked still the one at the path? */
bool store_lease_held(const struct store_lease *l);
/* Accepts NULL. The file stays: one that is removed could be locked by two. */
void store_lease_release(struct store_lease *l);
