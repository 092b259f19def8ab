/*
 * What callers hold by name: providers that are open, and ephemeral objects of theirs. Names are never given twice.
 *
 * A handle is counted: the table holds it once, and each request that uses it. When it is closed it leaves the table at once, and
 * goes with its last user.
 */
#pragma once

#include "engine/pool.h"

enum { HANDLE_BUCKETS = 256 };

struct handle {
    uint64_t number; /* of its name */
    size_t users;
    struct handle *next; /* of its bucket */
};

struct handle_table {
    const char *prefix; /* of the names: "provider-" */
    void (*free)(struct handle *h);
    pthread_mutex_t lock;
    uint64_t last; /* number that was given */
    struct handle *buckets[HANDLE_BUCKETS];
};

void handles_init(struct handle_table *t, const char *prefix, void (*free)(struct handle *h));
/* Must be empty, and without users. */
void handles_done(struct handle_table *t);

/* Gives it a name, which is returned. From then on it belongs to the table, and anybody may close it. */
struct str handles_add(struct handle_table *t, struct handle *h, struct arena *a);
/* NULL when there is none of this name. */
struct handle *handles_get(struct handle_table *t, struct str name);
/* Removes it from the table, whose use of it becomes the caller's. */
struct handle *handles_take(struct handle_table *t, struct str name);
/* The same for any that fits; NULL: none does. */
struct handle *handles_take_any(struct handle_table *t, bool (*fits)(const struct handle *h, const void *what), const void *what);
/* One more user of what is in use already; and one less. */
void handle_use(struct handle_table *t, struct handle *h);
void handle_release(struct handle_table *t, struct handle *h);

/*
 * Which plans of a provider were applied: a bit for each, in pieces that exist only where one was. So a plan that is not applied
 * leaves nothing behind but its share of the list of pieces.
 */
struct plan_bits {
    pthread_mutex_t lock;
    uint64_t last; /* number that was given */
    uint64_t **pieces;
    size_t n_pieces;
};
void plan_bits_init(struct plan_bits *b);
void plan_bits_done(struct plan_bits *b);
/* From 1. */
uint64_t plan_bits_new(struct plan_bits *b);
/* False when the number was not given, or is taken already. */
bool plan_bits_take(struct plan_bits *b, uint64_t number);
/* It was not applied after all. */
void plan_bits_give_back(struct plan_bits *b, uint64_t number);

/* An open provider. */
struct provider_handle {
    struct handle handle;
    struct warm *warm;
    struct arena *arena;
    struct diags warnings; /* of its configuration, in the arena; immutable */
    struct plan_bits plans;
};

/* An ephemeral object, until it is closed. `lock`: one call at a time. */
struct ephemeral_handle {
    struct handle handle;
    struct arena *arena;
    struct handle_table *providers;
    struct provider_handle *provider; /* used by this one */
    pthread_mutex_t lock;
    struct ephemeral ephemeral; /* all but the private bytes in the arena */
    struct buf private;
};
