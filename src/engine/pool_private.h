/*
 * What the parts of the pool share: pool.c (handles and leases), pool_line.c (waiting), pool_process.c (processes), pool_schema.c
 * (binaries and their schemas), pool_config.c (configurations), pool_keeper.c (the timer for idle processes and stops).
 *
 * One lock, the pool's, guards everything that is not said to be immutable or owned by a thread. It is held only briefly: never
 * during a call to a provider, nor while a process starts or ends. Functions marked LOCKED are called with the lock held.
 *
 *     struct pool ─► struct pool_provider, one per configuration ─► struct pool_process, of which at most one takes new calls
 *          │                      │                                 └─► struct slot, one per call at once
 *          │                      └─► line of borrowers
 *          └─► struct binary, with the schema ─► line of those who need it
 */
#pragma once

#include "base/lock.h"
#include "engine/pool.h"
#include "loop/workers.h"

#define LOCKED /* the caller holds the pool's lock */

/*
 * A line: a queue of threads that wait for something which one of them has to make (a process, a schema). The thread that makes
 * it available hands it to the first waiter, so no waiter overtakes another and none is woken without reason.
 */
enum line_turn {
    TURN_AWAITED,
    TURN_GIVEN,  /* it is available; in a line of borrowers `slot` is lent to this waiter */
    TURN_START,  /* this waiter has to make it */
    TURN_FAILED, /* `status` and the diagnostics say why */
};
struct waiter {
    struct pool *pool;
    enum line_turn turn;
    struct slot *slot;
    enum engine_status status;
    struct diags *diags; /* of the waiting thread; others write to it while that thread waits */
    pthread_cond_t changed;
    struct waiter *next;
};
struct line {
    struct waiter *first, *last;
};

LOCKED void line_join(struct line *line, struct waiter *me, struct pool *pool, struct diags *diags);
/* Gives the first waiter its turn and removes it from the line. */
LOCKED void line_give(struct line *line, enum line_turn turn, struct slot *slot);
LOCKED void line_fail_all(struct line *line, enum engine_status status, const struct diags *why);
/*
 * Waits for a turn and leaves the line; never returns TURN_AWAITED. `name` is the provider's, for messages. The lock is released
 * while waiting.
 */
LOCKED enum line_turn line_wait(struct line *line, struct waiter *me, struct str name, const pool_wait *wait);
/* Waits until the time `until`. The lock is released while waiting. */
LOCKED enum engine_status pool_pause(struct pool *pool, int64_t until, struct str name, const pool_wait *wait,
                                     struct diags *diags);
/* Has the waiter's deadline passed, or was it cancelled? Then the failure is the waiter's own, and another thread may succeed. */
bool wait_is_over(const pool_wait *wait);

void pool_lock(struct pool *pool);
void pool_unlock(struct pool *pool);

/* Restart backoff: how many processes ended in quick succession, and when the next may be started. */
struct backoff {
    unsigned ends;
    int64_t until;
};
/* Counts the end of a process that lived for `lived_ns` (0: it failed to start). */
void backoff_add(struct backoff *b, int64_t now, int64_t lived_ns);

/*
 * One version of a binary's file, or a running provider to attach to. Everything except the line and the flags is immutable once
 * the schema is loaded, and stays until the pool ends.
 */
struct binary {
    struct pool *pool;
    struct binary *next;
    struct arena *arena; /* of this */
    struct str identity; /* address, path, and what changes when the file changes */
    struct line line;
    bool loading;                         /* a thread is loading the schema */
    struct arena *schema_arena;           /* of the schema */
    const struct provider_schema *schema; /* NULL: not known yet */
    int protocol;                         /* known with the schema */
    struct pool_process *spare;           /* started to get the schema, and not configured yet; NULL: none */
};
/* The binary with its schema: from memory, from the cache, or by starting it. */
enum engine_status binary_get(struct pool *pool, const struct pool_source *source, const pool_wait *wait, struct diags *diags,
                              struct binary **ret);
LOCKED struct pool_process *binary_take_spare(struct binary *b);
struct pool_source source_copy(struct arena *a, const struct pool_source *source);
void binaries_free(struct pool *pool);

/* A place for one call in a process. */
struct slot {
    struct pool_process *process;
    int64_t stop_at; /* when StopProvider is due; NO_DEADLINE: never */
    struct slot *next_free;
};

enum pool_process_state {
    PROCESS_LENDING, /* takes calls */
    PROCESS_PAUSED,  /* a call in it is to be stopped: takes no calls unless that call returns in time */
    PROCESS_RETIRED, /* takes no more calls; ends when the last one has returned */
};
struct pool_process {
    struct pool *pool;
    struct provider *provider;
    struct memo *memo;
    const struct binary *binary;
    struct pool_provider *owner; /* NULL before it is configured; lives at least as long as the leases */
    enum pool_process_state state;
    unsigned n_leases, n_stops;
    bool lost;          /* ended by itself, and was counted in pool_counts */
    bool stop_sent;     /* StopProvider was sent; it is repeated while calls are running */
    bool stopping;      /* a worker is sending StopProvider */
    int64_t stop_again; /* when it is repeated; NO_DEADLINE: never */
    int64_t started, idle_since;
    struct pool_process *prev, *next; /* the list of configured processes */
    struct slot *free;
    struct slot slots[];
};
/* Starts a process and does nothing else with it. False with a diagnostic. */
bool pool_process_launch(struct pool *pool, const struct pool_source *source, const pool_wait *wait, struct diags *diags,
                         struct pool_process **ret);
/* Starts and configures a process, which the provider then adopts. Called by the thread that has the turn to start. */
enum engine_status pool_process_start(struct pool_provider *w, const pool_wait *wait, struct diags *diags,
                                      struct pool_process **ret);
/* NULL: all slots are in use. */
LOCKED struct slot *pool_process_lend(struct pool_process *p);
LOCKED void pool_process_take_back(struct slot *slot);
/* No new calls; the process ends when its calls have returned, which may be now. */
LOCKED void pool_process_retire(struct pool_process *p);
/* If the process ended by itself: counts and retires it. */
LOCKED void pool_process_notice_end(struct pool_process *p);
/* Retires it, and has a worker send StopProvider. */
LOCKED void pool_process_stop(struct pool_process *p);
/* Has a worker end a process that has no calls. */
LOCKED void pool_process_end(struct pool_process *p);

/* An open configuration, shared by all its users. */
struct pool_provider {
    struct pool *pool;
    struct pool_provider *next;
    struct arena *arena; /* of this and its immutable parts */
    unsigned char key[32];
    struct pool_source source;      /* immutable */
    const struct json *config_json; /* immutable */
    unsigned n_handles;             /* 0: closed; freed with the last user */
    unsigned n_users;               /* borrowers and leases */
    bool opened;                    /* was configured at least once */
    int protocol;
    struct diags warnings;        /* of the opening */
    struct pool_process *current; /* takes new calls; NULL: none */
    unsigned generation;          /* counts replacements: a start that began before the last one is out of date */
    struct backoff backoff;
    struct line line;
    bool starting; /* a thread is starting a process, and owns: */
    struct binary *binary;
    struct arena *config_arena;
    const struct value *config; /* decoded by that binary's schema */
};
/* Makes one that is not in the pool yet, with its key and without handles. NULL with core's diagnostics. */
struct pool_provider *pool_provider_new(struct pool *pool, const struct pool_source *source, struct binary *b,
                                        const struct json *config, struct diags *diags);
void pool_provider_free(struct pool_provider *w);
/* Is it never to be configured (pool_source.unconfigured), and its configuration empty, so that nothing needs checking? */
bool pool_provider_goes_unchecked(const struct pool_provider *w);
/* Decodes the configuration by the binary's schema; false with core's diagnostics. */
bool pool_provider_read_config(struct pool_provider *w, struct binary *b, struct diags *diags);

struct pool {
    struct pool_options options; /* immutable */
    struct arena *arena;         /* of this and the options */
    unsigned char key[32];       /* random, immutable */
    struct workers *workers;     /* for slow work that no caller waits for: ending, stopping, filling the cache */
    pthread_mutex_t lock;
    struct pool_provider *providers;
    struct binary *binaries;
    struct pool_process *processes;
    struct pool_counts counts;
    pthread_cond_t emptied; /* signalled when the last process has ended */
    struct loop_timer *keeper;
    int64_t keeper_due; /* when the keeper runs next; INT64_MAX: not scheduled */
    bool closing;       /* the keeper has ended */
};

void keeper_start(struct pool *pool);
void keeper_end(struct pool *pool);
/* Has the keeper run at the time `at`, if not earlier. */
LOCKED void keeper_expect(struct pool *pool, int64_t at);
