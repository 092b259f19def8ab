/*
 * A store on top of another one: writes stay in memory and hide what the store below has, which is only read. So any operation on
 * a store can be tried without consequences (`terrane plan`); closing the layer discards the writes.
 *
 * It cannot be watched, drops events, and never holds the lease.
 */
#pragma once

#include "store/store.h"

/* The layer owns `below` and closes it; NULL: an empty store. `clock` may be NULL: the system clock. */
struct store *store_layer(struct store *below, const struct clock *clock);
