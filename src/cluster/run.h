/*
 * One run of `terrane controller`: providers, definitions, a store on the API server, and a controller on it, until it is told to
 * end, to begin anew, or may no longer act.
 */
#pragma once

#include "objects/watched.h"

struct run_options {
    struct option_texts providers, configs, only, activate;
    const char *settings;                         /* a file of them; NULL: none. What the command line says wins */
    const char *kubeconfig, *context, *namespace; /* NULL: the usual */
    const char *scheduler;                        /* NULL: grpc */
    const char *flavour;                          /* NULL: both */
    const char *name;                             /* of the Lease; NULL: RUN_NAME */
    int64_t poll_ns, grace_ns, workers;           /* 0: the usual */
    bool take_over, no_election;
    bool shards;                          /* share the objects with others of the same name instead of taking turns */
    const char *shard_by;                 /* NULL: object; group, namespace or label:KEY */
    const char *webhook, *webhook_listen; /* who converts older versions; NULL: they are not served. Where it listens */
    struct watched_options watch;
};
#define DEPLOY_IMAGE "terrane:latest"
#define RUN_NAME "terrane"
#define RUN_WEBHOOK_LISTEN ":9443"
#define RUN_GRACE_NS (25 * NS_PER_S) /* Kubernetes gives a pod 30 s */

/* Instead of running: what a cluster needs to run it so, in a folder (deploy.h). The exit code. */
struct run_deploy {
    const char *folder, *image;
    bool force;
};
int run_deploy(struct app *app, const struct run_options *options, const struct run_deploy *how);

/* Those who see what a controller does: over all of its runs. */
struct health;
struct run_seen {
    struct health *health; /* may be NULL */
    struct watched *watched;
};
/* The exit code. `*ret_again`: begin another run, for the settings or what is active has changed. */
int run_once(struct app *app, const struct run_options *options, struct log *log, const struct run_seen *seen, bool *ret_again);
