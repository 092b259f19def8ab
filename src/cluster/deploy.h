/*
 * What a cluster needs to run the controller with the options that were given, as a kustomize base: namespace, account, roles,
 * deployment, services, network policy, disruption budget, monitor. The roles allow what the controller does with the kinds that
 * it serves, and nothing else; tests/scenario/deploy holds them against the API server's audit log.
 */
#pragma once

#include "cluster/run.h"
#include "controller/kinds.h"
#include "manifests/project.h"
#include "output/output.h"

struct deploy_options {
    const struct run_options *run;
    struct kinds_list which; /* as selection_make() has them */
    const char *image;
    const struct project *settings; /* what the file of `run` says */
};

/* Adds the files; the caller commits. */
bool deploy_write(struct arena *a, const struct deploy_options *options, struct output *out, struct diags *diags);
