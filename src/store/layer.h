/*
 * A store over another one: what is written stays in memory, in front of what the one below has, which is only read. So
 * whatever works on a store can be tried without consequences (`terrane plan`), and is gone when the layer is closed.
 *
 * It cannot be watched, its events are forgotten, and nobody has its lease.
 */
#pragma once

#include "store/store.h"

/* `below` is the layer's from now on, and closed with it; NULL: nothing is there yet. `clock` may be NULL: the machine's. */
struct store *store_layer(struct store *below, const struct clock *clock);
