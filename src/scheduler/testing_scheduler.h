/*
 * For the tests of this folder: a scheduler on the engine (or terraform) with the fake provider, and objects of one type as their
 * owner sees them.
 */
#pragma once

#include "engine/testing_pool.h"
#include "scheduler/backend.h"

/* NULL: test the engine; else the path of the terraform program to test. */
extern const char *terraform;

struct world {
    struct stage stage;
    struct scheduler *scheduler;
};

void world_begin(struct world *w, const char *script, struct scheduler_options options);
void world_end(struct world *w);
struct backend *backend_of(struct world *w);
/* How often a provider ended. Does nothing with terraform: the pool does not know the providers that terraform is attached to. */
void assert_lost(struct world *w, uint64_t n);
/* The number of objects in the provider's cloud. */
size_t n_objects(struct world *w);

/* One object, as its owner sees it. */
struct thing {
    struct world *world;
    char key[32];
    const char *config;    /* NULL: no wanted configuration */
    const char *import_id; /* NULL: none */
    const char *region;
    bool may_replace, refuse_to_keep;
    int64_t observe_ns, operation_ns;
    struct arena *arena;
    bool exists; /* the state as last kept */
    struct state_instance stored;
    int n_kept, n_nothing_kept, n_done;
    bool unknown;
    struct scheduler_session *session;
    struct completion done;
};

void thing_begin(struct thing *t, struct world *w, const char *key, const char *config);
void thing_end(struct thing *t);
struct scheduler_item item_of(struct thing *t, struct arena *a);
struct str id_of(const struct thing *t);
/* Stores this object as the thing's state; NULL: nothing exists. */
void remember(struct thing *t, const struct state_instance *object);

/* Observe: start; wait for the answers; both; end the session. */
void start_looking(struct thing *t);
void await_seen(struct thing *t);
void look(struct thing *t);
void end_session(struct thing *t);
/* The object's state in one word; fails the test if it cannot be known. */
const char *state_of(struct thing *t);
/* Observes the object and asserts its state. */
void must_be(struct thing *t, const char *state);

typedef enum scheduler_answer start_fn(struct scheduler_session *o, struct arena *a, const struct scheduler_events *events,
                                       struct diags *diags, struct scheduler_started *ret);

enum scheduler_answer try_start(struct thing *t, start_fn *start, struct diags *diags, struct scheduler_started *ret);
void must_start(struct thing *t, start_fn *start);
struct scheduler_result collect(struct thing *t);
/* Observes, starts the operation, waits, collects the result. */
enum scheduler_failure run(struct thing *t, start_fn *start);

void assert_says(struct thing *t, const struct diags *diags, const char *what);
