/*
 * What the parts of the pool share: pool.c (handles and leases), pool_line.c (waiting), pool_process.c (processes),
 * pool_schema.c (binaries and their schemas), pool_config.c (configurations), pool_keeper.c (what happens by itself).
 *
 * One lock, the pool's, guards everything that is not said to be immutable or to belong to somebody. It is held for moments only:
 * never during a call to a provider, nor while one starts or ends. Functions marked LOCKED are called with it.
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
 * A line: threads that wait for something which one of them has to make (a process, a schema). Whoever changes what they wait
 * for hands it to the first in line, so nobody overtakes and nobody wakes up in vain.
 */
enum line_turn {
    TURN_AWAITED,
    TURN_GIVEN,  /* it is there; `slot` is lent, where it is about one */
    TURN_START,  /* it is yours to make */
    TURN_FAILED, /* `status` and the diagnostics say why */
};
struct waiter {
    struct pool *pool;
    enum line_turn turn;
    struct slot *slot;
    enum engine_status status;
    struct diags *diags; /* of the waiting thread, which leaves it to the others while it waits */
    pthread_cond_t changed;
    struct waiter *next;
};
struct line {
    struct waiter *first, *last;
};

LOCKED void line_join(struct line *line, struct waiter *me, struct pool *pool, struct diags *diags);
/* Takes the first one off the line. */
LOCKED void line_give(struct line *line, enum line_turn turn, struct slot *slot);
LOCKED void line_fail_all(struct line *line, enum engine_status status, const struct diags *why);
/* Waits for a turn and leaves the line; never TURN_AWAITED. `name` is that of the provider, for messages. The lock is let go
 * meanwhile. */
LOCKED enum line_turn line_wait(struct line *line, struct waiter *me, struct str name, const pool_wait *wait);
/* Waits until that moment. The lock is let go meanwhile. */
LOCKED enum engine_status pool_pause(struct pool *pool, int64_t until, struct str name, const pool_wait *wait,
                                     struct diags *diags);
/* Did the one who waited have no more time or patience? Then what failed may work for another. */
bool wait_is_over(const pool_wait *wait);

void pool_lock(struct pool *pool);
void pool_unlock(struct pool *pool);

/* Ends that follow each other quickly: how many, and when the next start may be. */
struct backoff {
    unsigned ends;
    int64_t until;
};
/* Another one, of a process that had lived so long (0: it did not even start). */
void backoff_add(struct backoff *b, int64_t now, int64_t lived_ns);

/*
 * A binary in one state of its file, or a running provider to attach to. All but its line and flags is immutable once the schema
 * is there, and stays until the pool ends.
 */
struct binary {
    struct pool *pool;
    struct binary *next;
    struct arena *arena; /* of this */
    struct str identity; /* address, path, and what a change of the file changes */
    struct line line;
    bool loading;                         /* somebody has the turn to load the schema */
    struct arena *schema_arena;           /* of the schema */
    const struct provider_schema *schema; /* NULL: not known yet */
    int protocol;                         /* that it speaks, known with the schema */
    struct pool_process *spare;           /* started for the schema's sake, and not configured yet; NULL: none */
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
    int64_t stop_at; /* when the provider is to be told to stop; NO_DEADLINE: not at all */
    struct slot *next_free;
};

enum pool_process_state {
    PROCESS_LENDING, /* takes calls */
    PROCESS_PAUSED,  /* a call in it is to be stopped: takes none unless that one returns in time */
    PROCESS_RETIRED, /* takes none any more; ends when it is empty */
};
struct pool_process {
    struct pool *pool;
    struct provider *provider;
    struct memo *memo;
    const struct binary *binary;
    struct pool_provider *owner; /* NULL before it is configured; alive at least as long as there are leases */
    enum pool_process_state state;
    unsigned n_leases, n_stops;
    bool lost;          /* ended by itself, and counted as such */
    bool stop_sent;     /* StopProvider; from then on it is said again while calls are out */
    bool stopping;      /* and a thread is at it */
    int64_t stop_again; /* when it is said next; NO_DEADLINE: not at all */
    int64_t started, idle_since;
    struct pool_process *prev, *next; /* of those that were configured */
    struct slot *free;
    struct slot slots[];
};
/* Started and nothing else. False with a diagnostic. */
bool pool_process_launch(struct pool *pool, const struct pool_source *source, const pool_wait *wait, struct diags *diags,
                         struct pool_process **ret);
/* A process with the provider's configuration, for it to adopt. By whoever has the turn to start. */
enum engine_status pool_process_start(struct pool_provider *w, const pool_wait *wait, struct diags *diags,
                                      struct pool_process **ret);
/* NULL: it is full. */
LOCKED struct slot *pool_process_lend(struct pool_process *p);
LOCKED void pool_process_take_back(struct slot *slot);
/* No new calls; it ends when those in it are done, which may be now. */
LOCKED void pool_process_retire(struct pool_process *p);
/* If it ended by itself: counts it and retires it. */
LOCKED void pool_process_notice_end(struct pool_process *p);
/* Tells it to stop, on another thread, and retires it. */
LOCKED void pool_process_stop(struct pool_process *p);
/* Ends one that has no calls, on another thread. */
LOCKED void pool_process_end(struct pool_process *p);

/* What one open configuration has in common for all its users. */
struct pool_provider {
    struct pool *pool;
    struct pool_provider *next;
    struct arena *arena; /* of this and what is immutable in it */
    unsigned char key[32];
    struct pool_source source;      /* immutable */
    const struct json *config_json; /* immutable */
    unsigned n_handles;             /* 0: closed; goes when the last user has gone */
    unsigned n_users;               /* borrowers and leases */
    bool opened;                    /* was configured once */
    int protocol;
    struct diags warnings;        /* of the opening */
    struct pool_process *current; /* takes new calls; NULL: none */
    unsigned generation;          /* counts replacements: a start that began before one is out of date */
    struct backoff backoff;
    struct line line;
    bool starting; /* somebody has the turn to start a process; to that thread belong: */
    struct binary *binary;
    struct arena *config_arena;
    const struct value *config; /* read by that binary's schema */
};
/* One that is not in the pool yet, with its key and no handle. NULL with core's diagnostics. */
struct pool_provider *pool_provider_new(struct pool *pool, const struct pool_source *source, struct binary *b,
                                        const struct json *config, struct diags *diags);
void pool_provider_free(struct pool_provider *w);
/* It is not to be configured, and there is nothing to check. */
bool pool_provider_goes_unchecked(const struct pool_provider *w);
/* Reads the configuration by the binary's schema; false with core's diagnostics. */
bool pool_provider_read_config(struct pool_provider *w, struct binary *b, struct diags *diags);

struct pool {
    struct pool_options options; /* immutable */
    struct arena *arena;         /* of this and the options */
    unsigned char key[32];       /* random: immutable */
    struct workers *workers;     /* for what takes time and nobody waits for: ending, stopping, filling the cache */
    pthread_mutex_t lock;
    struct pool_provider *providers;
    struct binary *binaries;
    struct pool_process *processes;
    struct pool_counts counts;
    pthread_cond_t emptied; /* no processes */
    struct loop_timer *keeper;
    int64_t keeper_due; /* when it looks next; INT64_MAX: not before somebody expects something */
    bool closing;       /* the keeper has ended */
};

void keeper_start(struct pool *pool);
void keeper_end(struct pool *pool);
/* There is something to do for the keeper at that moment. */
LOCKED void keeper_expect(struct pool *pool, int64_t at);
