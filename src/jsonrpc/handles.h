/*
 * Handles, which callers use by name: open providers, and their open ephemeral objects. Names are never reused.
 *
 * A handle is reference-counted: the table holds it once, and each request that uses it. Closing removes it from the table at
 * once; it is freed with its last user.
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
    const char *prefix; /* of the handles' names: "provider-" */
    void (*free)(struct rpc_handle *h);
    pthread_mutex_t lock;
    uint64_t last; /* the last number that was given */
    size_t n;      /* handles in the table, and reserved places */
    struct rpc_handle *buckets[HANDLE_BUCKETS];
};

void rpc_handles_init(struct rpc_handle_table *t, const char *prefix, void (*free)(struct rpc_handle *h));
/* The table must be empty, and none of its handles in use. */
void rpc_handles_done(struct rpc_handle_table *t);

/*
 * Reserves a place, so that what is opened next can be added for certain; false when the table is full. Each place is used by
 * rpc_handles_add(), or given back.
 */
bool rpc_handles_reserve(struct rpc_handle_table *t);
void rpc_handles_unreserve(struct rpc_handle_table *t);
/* Adds a handle in a reserved place and returns its name. The table owns it from now on, and any thread may close it. */
struct str rpc_handles_add(struct rpc_handle_table *t, struct rpc_handle *h, struct arena *a);
/* The handle of this name, with one more user; NULL if there is none. */
struct rpc_handle *rpc_handles_get(struct rpc_handle_table *t, struct str name);
/* Removes it from the table; the table's reference becomes the caller's. */
struct rpc_handle *rpc_handles_take(struct rpc_handle_table *t, struct str name);
/* The same for any handle that fits; NULL: none does. */
struct rpc_handle *rpc_handles_take_any(struct rpc_handle_table *t, bool (*fits)(const struct rpc_handle *h, const void *what),
                                        const void *what);
/* Add and release a user; rpc_handle_use() needs a handle that is in use already. */
void rpc_handle_use(struct rpc_handle_table *t, struct rpc_handle *h);
void rpc_handle_release(struct rpc_handle_table *t, struct rpc_handle *h);

/*
 * Which plans of a provider were applied: one bit per plan, in pieces that are allocated when the first plan in them is applied.
 * A plan that is never applied takes no memory but its share of the list of pieces.
 */
struct rpc_plan_bits {
    pthread_mutex_t lock;
    uint64_t last; /* the last number that was given */
    uint64_t **pieces;
    size_t n_pieces;
};
void rpc_plan_bits_init(struct rpc_plan_bits *b);
void rpc_plan_bits_done(struct rpc_plan_bits *b);
/* Numbers a new plan, from 1. */
uint64_t rpc_plan_bits_new(struct rpc_plan_bits *b);
/* A plan that a request has taken in order to apply it. */
struct rpc_plan_hold {
    struct rpc_plan_bits *bits; /* NULL: the plan was given back */
    uint64_t number;
};
/* False when no plan has this number, or the plan is taken already. */
bool rpc_plan_bits_take(struct rpc_plan_bits *b, uint64_t number, struct rpc_plan_hold *ret);
/*
 * The plan was not applied after all, and may be taken again. A second call for the same hold does nothing, since another request
 * may have taken the plan by then.
 */
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
    struct rpc_provider_handle *provider; /* held by this handle */
    pthread_mutex_t lock;
    struct ephemeral ephemeral; /* in the arena, except for its private bytes */
    struct buf private;
};
