/* terrane migrate: moves objects from one controller to another without changes outside. */
#pragma once

#include "cluster/reach.h"

struct migrate_options {
    struct option_texts providers, configs, only;
    const char *kubeconfig, *context, *flavour;
    const char *folder;                      /* to Kubernetes: folder of the store */
    bool apply, json;                        /* apply: else nothing is written; json: output as JSON */
    bool with_changes, not_running, give_up; /* only from Upjet */
    int64_t wait_ns;                         /* until Upjet's controller pauses an object; 0: MIGRATE_WAIT_NS */
};
#define MIGRATE_WAIT_NS (60 * NS_PER_S)

/* Exit codes: 0 all objects were (or can be) moved; 2 some were not; 1 failure. */
int from_upjet(struct app *app, const struct migrate_options *o);
int to_kubernetes(struct app *app, const struct migrate_options *o);
