/*
 * How Terraform is reached: a table of functions that block the worker they run on. scheduler.c and its neighbours decide when,
 * how often, for how long and together with which other jobs they are called.
 */
#pragma once

#include "scheduler/scheduler.h"

struct backend;
struct backend_provider; /* one open configuration; private to the backend */

enum backend_end {
    BACKEND_OK,
    BACKEND_FAILED,    /* diagnostics say why */
    BACKEND_LOST,      /* the provider could not be started or reached */
    BACKEND_CRASHED,   /* the provider ended by itself during the call */
    BACKEND_CANCELLED, /* `cancel` ended it */
};

/* The context of a call. */
struct backend_call {
    const struct scheduler_item *item;
    struct arena *arena; /* for results and temporary data */
    struct diags *diags;
    struct cancel *cancel; /* also fires at the time limit */
};

/* What an observation found. */
struct observation {
    bool seen; /* the object could be read; the fields up to `changed` are valid */
    bool exists;
    bool changed;                 /* differs from what is stored */
    struct state_instance object; /* if it exists */
    bool planned;                 /* the object could be compared with the wanted configuration */
    struct scheduler_difference difference;
    void *plan;                   /* private to the backend, for change() */
    const struct json *explained; /* the plan in the format of plan JSON; NULL: not asked for, or not supported by the backend */
    bool listed;                  /* the item is a list, and `alike` is its content */
    struct scheduler_alike alike;
};

/* backend.c: fills in the object's current state; `now` NULL: it does not exist. */
void observation_note(struct observation *o, const struct scheduler_item *item, const struct state_instance *now);

/* What a change did. Written even if it failed, as far as known. */
struct backend_result {
    bool called;  /* was the provider asked to change anything? */
    bool unknown; /* it was asked and did not answer: nobody knows what exists */
    bool exists;
    struct state_instance object; /* if it exists */
};

/* Stores what exists between the two halves of a replacement; false: it could not be stored, stop here. */
struct backend_keep {
    bool (*fn)(void *ctx, const struct state_instance *object);
    void *ctx;
};

struct backend_ops {
    const char *name;
    /* `alone`: in a process of its own, not the shared one. Several threads may call it at once for the same configuration. */
    enum backend_end (*open)(struct backend *b, const struct backend_call *call, bool alone, struct backend_provider **ret);
    /* close and replace never block. */
    void (*close)(struct backend *b, struct backend_provider *p);
    /* The process does not answer any more: use another one from now on. */
    void (*replace)(struct backend *b, struct backend_provider *p);
    enum backend_end (*look)(struct backend *b, struct backend_provider *p, const struct backend_call *call,
                             struct observation *ret);
    /*
     * Changes the observed object to the wanted one, or destroys it. `cancel` asks the provider to stop but never interrupts it;
     * a call that has not ended `limit_ns` from now is abandoned.
     */
    enum backend_end (*change)(struct backend *b, struct backend_provider *p, const struct backend_call *call,
                               const struct observation *seen, bool destroy, int64_t limit_ns, const struct backend_keep *keep,
                               struct backend_result *ret);
    void (*free)(struct backend *b);
};

struct backend {
    const struct backend_ops *ops;
};

/* grpc.c: the engine on a pool of warm providers. The caller owns the pool, which must outlive the backend. `log` may be NULL. */
struct pool;
struct backend *backend_grpc_new(struct pool *pool, struct log *log);

/*
 * cli.c: runs the program terraform or tofu, each run in a workspace of its own, with one provider process for all runs of a
 * configuration (TF_REATTACH_PROVIDERS).
 */
enum { CLI_PROCESSES = 8 };
struct cli_options {
    struct loop *loop;
    struct log *log;        /* may be NULL */
    const char *program;    /* the path of terraform or tofu */
    const char *folder;     /* for workspaces; created if missing */
    const char *const *env; /* for providers, as in launch_options; must outlive the backend; may be NULL */
    unsigned processes;     /* of terraform, at most, at once; 0: CLI_PROCESSES */
};
/* NULL with a diagnostic if workspaces cannot be created. Removes workspaces that dead processes left behind. */
struct backend *backend_cli_new(const struct cli_options *options, struct diags *diags);
