/* The first steps of commands for a cluster: connecting to it, and choosing the kinds. */
#pragma once

#include "kube/client.h"
#include "objects/serve.h"

struct reach_options {
    const char *kubeconfig, *context; /* NULL: the defaults */
    const struct option_texts *providers, *configs, *only;
    const char *flavour;            /* NULL: both */
    const struct project *settings; /* defaults for what the options leave out; NULL: none */
};

/* `*ret_config` must outlive the client. */
bool reach_cluster(struct app *app, struct arena *a, const struct reach_options *o, struct log *log,
                   struct kubeconfig *ret_config, struct kube **ret);
/* Finds the providers and chooses their kinds. Call serve_end() in any case. */
bool reach_kinds(struct app *app, struct arena *a, const struct reach_options *o, struct serve *serve, struct kinds_list *ret);
