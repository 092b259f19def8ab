/* Which cluster, and which kinds on it: what the commands about a cluster begin with. */
#pragma once

#include "kube/client.h"
#include "objects/serve.h"

struct reach_options {
    const char *kubeconfig, *context; /* NULL: the usual */
    const struct option_texts *providers, *configs, *only;
    const char *flavour;            /* NULL: both */
    const struct project *settings; /* what the options do not say; NULL: none */
};

/* `*ret_config` must outlive the client. */
bool reach_cluster(struct app *app, struct arena *a, const struct reach_options *o, struct log *log,
                   struct kubeconfig *ret_config, struct kube **ret);
/* Providers are found and their kinds chosen. serve_end() in any case. */
bool reach_kinds(struct app *app, struct arena *a, const struct reach_options *o, struct serve *serve, struct kinds_list *ret);
