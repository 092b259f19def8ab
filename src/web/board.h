/*
 * The objects of a store as the dashboard shows them, kept up to date by a watch: one line of JSON per object (row.h), ordered by
 * last change, so that a follower who has seen change n gets the rest. Any number may follow; a slow follower gets the latest
 * state of each object, not every change.
 */
#pragma once

#include "controller/kinds.h"
#include "store/store.h"
#include "web/metrics.h"

struct board_options {
    struct store *store; /* the caller's, as everything below; must outlive the board */
    struct kinds *kinds;
    struct log *log; /* may be NULL */
};
struct board;
/* Lists the objects, then watches in a thread. NULL with a diagnostic: the store cannot be read. */
struct board *board_new(const struct board_options *options, struct diags *diags);
void board_free(struct board *b); /* NULL is accepted; nobody may follow it any more */

/* How far a follower is. Zeroed: it has seen nothing. */
struct board_cursor {
    uint64_t seen;
    uint64_t begun; /* the board's latest change when this follower's listing began */
};
/*
 * Appends what has changed since, as server-sent events "reset" and "rows", in pieces: a very long listing is not held in memory
 * at once. Waits for a change until `deadline` at most. True: more is available already.
 */
bool board_follow(struct board *b, struct board_cursor *c, struct buf *out, int64_t deadline);
/* Sets the metrics crossplane_managed_resource_*: the number of objects of each kind, and how many are ready and synced. */
void board_measure(struct board *b, struct metrics *m);
