/*
 * The objects of a store as the dashboard shows them, kept up to date by a watch: one line of JSON each (row.h), in the order in
 * which they changed last, so that whoever has seen the n-th change gets the rest. Many may follow it; who is slow gets the last
 * state of each object, not every change.
 */
#pragma once

#include "controller/kinds.h"
#include "store/store.h"
#include "web/metrics.h"

struct board_options {
    struct store *store; /* the caller's, as all below; must outlive the board */
    struct kinds *kinds;
    struct log *log; /* may be NULL */
};
struct board;
/* Lists, then watches in a thread. NULL and a diagnostic: the store cannot be read. */
struct board *board_new(const struct board_options *options, struct diags *diags);
void board_free(struct board *b); /* NULL is accepted; nobody may follow it any more */

/* What somebody has seen. Zeroed: nothing. */
struct board_cursor {
    uint64_t seen;
    uint64_t begun; /* what the board had told when this one's listing began */
};
/*
 * What has changed since, as server-sent events "reset" and "rows", in pieces: a listing of very many is not held in memory at
 * once. Waits for a change until `deadline` at most. True: there is more already.
 */
bool board_follow(struct board *b, struct board_cursor *c, struct buf *out, int64_t deadline);
/* How many there are of each kind, and how they are: crossplane_managed_resource_*. */
void board_measure(struct board *b, struct metrics *m);
