/*
 * Who has a store: locks on bytes of a file beside the database, which go with the process however it ends. One process
 * reconciles, and the file says which; any number of others may use the database beside it; who replaces it is alone.
 */
#pragma once

#include "base/diag.h"

struct lease;

enum lease_kind {
    LEASE_VISIT,     /* one of many */
    LEASE_RECONCILE, /* the one of many who acts on what is in the store */
    LEASE_ALONE,     /* nobody else has the database open */
};

/* NULL and a diagnostic that says who holds it. */
struct lease *lease_take(const char *path, enum lease_kind kind, struct diags *diags);
/* Does any process reconcile? */
bool lease_is_taken(const char *path);
/* Is this the process that reconciles: was it asked to be, and is the file that is locked still the one at the path? */
bool lease_held(const struct lease *l);
/* Accepts NULL. The file stays: one that is removed could be locked by two. */
void lease_release(struct lease *l);
