/*
 * Generates a kustomize base that runs the controller with the given options in a cluster: namespace, service account, roles,
 * deployment, services, network policy, disruption budget, monitor. The roles allow exactly what the controller does with the
 * kinds that it serves; tests/scenario/deploy compares them with the API server's audit log.
 */
#pragma once

#include "cluster/run.h"
#include "controller/kinds.h"
#include "manifests/project.h"
#include "output/output.h"

struct deploy_options {
    const struct run_options *run;
    struct kinds_list which; /* from selection_make() */
    const char *image;
    const char *listen;             /* for health and metrics: only the port matters; NULL: 8080 */
    const struct project *settings; /* from the settings file of `run` */
};

/* Adds the files; the caller commits. */
bool deploy_write(struct arena *a, const struct deploy_options *options, struct output *out, struct diags *diags);
