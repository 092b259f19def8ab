/*
 * What callers hold by name: providers that are open, and ephemeral objects of theirs. Names are never given twice.
 *
 * A handle is counted: the table holds it once, and each request that uses it. When it is closed it leaves the table at once, and
 * goes with its last user.
 */
#pragma once

#include "engine/pool.h"

enum { HANDLE_BUCKETS = 256, HANDLES_MAX = 4096 /* open at once, of one table */ };

struct rpc_handle {
    uint64_t number; /* of its name */
    size_t users;
    struct rpc_handle *next; /* of its bucket */
};

struct rpc_handle_table {
    const char *prefix; /* of the names: "provider-" */
    void (*free)(struct rpc_handle *h);
    pthread_mutex_t lock;
    uint64_t last; /* number that was given */
    size_t n;      /* in the table, or reserved */
    struct rpc_handle *buckets[HANDLE_BUCKETS];
};

void rpc_handles_init(struct rpc_handle_table *t, const char *prefix, void (*free)(struct rpc_handle *h));
/* Must be empty, and without users. */
void rpc_handles_done(struct rpc_handle_table *t);

/*
 * A place for one more, taken before something is opened that could not be kept otherwise: false when the table is full. Each
 * place is used by rpc_handles_add, or given back.
 */
bool rpc_handles_reserve(struct rpc_handle_table *t);
void rpc_handles_unreserve(struct rpc_handle_table *t);
/* Gives it a name, which is returned, and uses a place that was reserved. From then on it belongs to the table, and anybody may
 * close it. */
struct str rpc_handles_add(struct rpc_handle_table *t, struct rpc_handle *h, struct arena *a);
/* NULL when there is none of this name. */
struct rpc_handle *rpc_handles_get(struct rpc_handle_table *t, struct str name);
/* Removes it from the table, whose use of it becomes the caller's. */
struct rpc_handle *rpc_handles_take(struct rpc_handle_table *t, struct str name);
/* The same for any that fits; NULL: none does. */
struct rpc_handle *rpc_handles_take_any(struct rpc_handle_table *t, bool (*fits)(const struct rpc_handle *h, const void *what),
                                        const void *what);
/* One more user of what is in use already; and one less. */
void rpc_handle_use(struct rpc_handle_table *t, struct rpc_handle *h);
void rpc_handle_release(struct rpc_handle_table *t, struct rpc_handle *h);

/*
 * Which plans of a provider were applied: a bit for each, in pieces that exist only where one was. So a plan that is not applied
 * leaves nothing behind but its share of the list of pieces.
 */
struct rpc_plan_bits {
    pthread_mutex_t lock;
    uint64_t last; /* number that was given */
    uint64_t **pieces;
    size_t n_pieces;
};
void rpc_plan_bits_init(struct rpc_plan_bits *b);
void rpc_plan_bits_done(struct rpc_plan_bits *b);
/* From 1. */
uint64_t rpc_plan_bits_new(struct rpc_plan_bits *b);
/* Who has taken a plan, to apply it. */
struct rpc_plan_hold {
    struct rpc_plan_bits *bits; /* NULL: it was given back */
    uint64_t number;
};
/* False when the number was not given, or is taken already. */
bool rpc_plan_bits_take(struct rpc_plan_bits *b, uint64_t number, struct rpc_plan_hold *ret);
/* It was not applied after all, and others may take it. Once: a second time changes nothing, for it may be another's by then. */
void rpc_plan_give_back(struct rpc_plan_hold *hold);

/* An open provider. */
struct rpc_provider_handle {
    struct rpc_handle handle;
    struct pool_provider *opened;
    struct arena *arena;
    struct diags warnings; /* of its configuration, in the arena; immutable */
    struct rpc_plan_bits plans;
};

/* An ephemeral object, until it is closed. `lock`: one call at a time. */
struct rpc_ephemeral_handle {
    struct rpc_handle handle;
    struct arena *arena;
    struct rpc_handle_table *providers;
    struct rpc_provider_handle *provider; /* used by this one */
    pthread_mutex_t lock;
    struct ephemeral ephemeral; /* all but the private bytes in the arena */
    struct buf private;
};
