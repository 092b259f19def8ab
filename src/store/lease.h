/*
 * One process for a database: a lock on a file beside it, which goes with the process however it ends. The file says who has it.
 */
#pragma once

#include "base/diag.h"

struct lease;

/* NULL and a diagnostic that says who holds it. */
struct lease *lease_take(const char *path, struct diags *diags);
/* Is the file that is locked still the one at the path? */
bool lease_held(const struct lease *l);
/* Accepts NULL. The file stays: one that is removed could be locked by two. */
void lease_release(struct lease *l);
