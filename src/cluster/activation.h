/*
 * Determines which of the known kinds are installed and served now: those that --activate names, and those that Crossplane's
 * ManagedResourceActivationPolicies name, if the cluster has them. A kind with a ManagedResourceDefinition is installed by
 * Crossplane: it is served while its definition is active, and never installed from here.
 */
#pragma once

#include "cluster/selection.h"
#include "kube/client.h"

struct activation_options {
    struct kube *client;
    struct kinds_list known;  /* from selection_make() */
    struct patterns activate; /* none: all known kinds */
};

struct activation {
    struct kinds_list served, installed; /* `installed`: those of `served` whose CRDs we install */
    uint64_t digest;                     /* of both lists: changes when they change */
};

/* False with a diagnostic: the cluster does not answer. */
bool activation_make(struct arena *a, const struct activation_options *options, struct diags *diags, struct activation *ret);
