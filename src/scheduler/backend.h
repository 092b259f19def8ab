/*
 * How Terraform is reached: a table of functions that block the worker they run on. All rules about when, how often, in whose
 * company and for how long something is asked are scheduler.c's.
 */
#pragma once

#include "scheduler/scheduler.h"

struct backend;
struct backend_provider; /* one open configuration; the backend's own */

enum backend_end {
    BACKEND_OK,
    BACKEND_FAILED,    /* diagnostics say why */
    BACKEND_LOST,      /* the provider could not be had */
    BACKEND_CRASHED,   /* the provider ended by itself while it worked on this */
    BACKEND_CANCELLED, /* `cancel` ended it */
};

/* What a call has at hand. */
struct backend_call {
    const struct scheduler_item *item;
    struct arena *arena; /* for results, and for what is needed on the way */
    struct diags *diags;
    struct cancel *cancel; /* fired at the time limit too */
};

/* What was seen. */
struct observation {
    bool seen; /* could the object be looked at? What follows up to `changed` counts */
    bool exists;
    bool changed;                 /* not as it is stored */
    struct state_instance object; /* when it exists */
    bool planned;                 /* could it be compared with what is wanted? */
    struct scheduler_difference difference;
    void *plan;                   /* the backend's own, for change() */
    const struct json *explained; /* the plan as plan JSON has it; NULL: nobody wanted it, or the backend cannot tell */
    bool listed;                  /* the item is a list, and this is what it has: */
    struct scheduler_alike alike;
};

/* backend.c: the object as it is now; NULL: there is none. */
void observation_note(struct observation *o, const struct scheduler_item *item, const struct state_instance *now);

/* What was done. Written whatever the end, as far as known. */
struct backend_result {
    bool called;  /* was the provider asked to change anything? */
    bool unknown; /* it was and did not answer: nobody knows what exists */
    bool exists;
    struct state_instance object; /* when it exists */
};

/* Stores what exists between the halves of a replacement; false: could not be stored, stop here. */
struct backend_keep {
    bool (*fn)(void *ctx, const struct state_instance *object);
    void *ctx;
};

struct backend_ops {
    const char *name;
    /* `alone`: not the process that others use. May be called for the same configuration by several threads at once. */
    enum backend_end (*open)(struct backend *b, const struct backend_call *call, bool alone, struct backend_provider **ret);
    /* Neither of the two blocks. */
    void (*close)(struct backend *b, struct backend_provider *p);
    /* It does not answer any more: use another process from now on. */
    void (*replace)(struct backend *b, struct backend_provider *p);
    enum backend_end (*look)(struct backend *b, struct backend_provider *p, const struct backend_call *call,
                             struct observation *ret);
    /*
     * From what was observed to what is wanted, or to nothing. `cancel` asks the provider to stop and never cuts it off; what has
     * not ended `limit_ns` from now is given up.
     */
    enum backend_end (*change)(struct backend *b, struct backend_provider *p, const struct backend_call *call,
                               const struct observation *seen, bool destroy, int64_t limit_ns, const struct backend_keep *keep,
                               struct backend_result *ret);
    void (*free)(struct backend *b);
};

struct backend {
    const struct backend_ops *ops;
};

/* grpc.c: the engine on a pool of warm providers, which is the caller's and must outlive the backend. `log` may be NULL. */
struct pool;
struct backend *backend_grpc_new(struct pool *pool, struct log *log);

/*
 * cli.c: terraform or tofu as a program, in workspaces of its own, with one provider process for all runs of a configuration
 * (TF_REATTACH_PROVIDERS).
 */
enum { CLI_PROCESSES = 8 };
struct cli_options {
    struct loop *loop;
    struct log *log;        /* may be NULL */
    const char *program;    /* the path of terraform or tofu */
    const char *folder;     /* for workspaces; made where it is missing */
    const char *const *env; /* for providers, as in launch_options; must outlive the backend; may be NULL */
    unsigned processes;     /* of terraform, at once; 0: CLI_PROCESSES */
};
/* NULL with a diagnostic when there can be no workspaces. Removes those whose owner has gone. */
struct backend *backend_cli_new(const struct cli_options *options, struct diags *diags);
