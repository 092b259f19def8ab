/* terrane migrate: objects from one controller to another, so that nothing outside changes on the way. */
#pragma once

#include "cluster/reach.h"

struct migrate_options {
    struct option_texts providers, configs, only;
    const char *kubeconfig, *context, *flavour;
    const char *folder;                      /* to Kubernetes: of the store */
    bool apply, json;                        /* else nothing is written; as JSON */
    bool with_changes, not_running, give_up; /* from Upjet */
    int64_t wait_ns;                         /* for Upjet to leave an object alone; 0: MIGRATE_WAIT_NS */
};
#define MIGRATE_WAIT_NS (60 * NS_PER_S)

/* Exit codes: 0 all objects are (or could be) moved; 2 some are not; 1 it failed. */
int from_upjet(struct app *app, const struct migrate_options *o);
int to_kubernetes(struct app *app, const struct migrate_options *o);
