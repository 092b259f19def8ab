/*
 * One run of `terrane controller`: providers, CRDs, a store on the API server, and a controller, until it is asked to end or to
 * restart, or loses the right to act; then another run waits for its turn.
 */
#pragma once

#include "objects/watched.h"

struct run_options {
    struct option_texts providers, configs, only, activate;
    const char *settings;                         /* a settings file; NULL: none. The command line overrides it */
    const char *kubeconfig, *context, *namespace; /* NULL: the defaults */
    const char *scheduler;                        /* NULL: grpc */
    const char *flavour;                          /* NULL: both */
    const char *name;                             /* of the Lease; NULL: RUN_NAME */
    int64_t poll_ns, grace_ns, workers;           /* 0: the defaults */
    bool take_over, no_election;
    bool shards;                          /* share the objects with other controllers of the same name instead of taking turns */
    const char *shard_by;                 /* NULL: object; group, namespace or label:KEY */
    const char *webhook, *webhook_listen; /* converts older versions (NULL: they are not served); where it listens */
    struct watched_options watch;
};
#define DEPLOY_IMAGE "terrane:latest"
#define RUN_NAME "terrane"
#define RUN_WEBHOOK_LISTEN ":9443"
#define RUN_GRACE_NS (25 * NS_PER_S) /* Kubernetes gives a pod 30 s */

/* Instead of running, writes what a cluster needs for that into a folder (deploy.h). Returns the exit code. */
struct run_deploy {
    const char *folder, *image, *listen; /* listen: of --listen; NULL: not given */
    bool force;
};
int run_deploy(struct app *app, const struct run_options *options, const struct run_deploy *how);

/* What lives across the runs of a controller. `worked`: one of them has reconciled. */
struct health;
struct run_seen {
    struct health *health; /* may be NULL */
    struct watched *watched;
    bool worked;
    struct str identity; /* of this process in Leases: one that it could not give back is its own, and need not expire first */
};
/*
 * Returns the exit code. `*ret_again`: start another run, because the settings or the active kinds have changed, the Lease was
 * lost, or a run after one that has reconciled could not begin.
 */
int run_once(struct app *app, const struct run_options *options, struct log *log, struct run_seen *seen, bool *ret_again);
