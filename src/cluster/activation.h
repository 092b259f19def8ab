/*
 * Which of the kinds that are known are installed and served now: those that --activate names, and those that Crossplane's
 * ManagedResourceActivationPolicies do, where the cluster has such a kind. A kind with a ManagedResourceDefinition is
 * Crossplane's to install: it is served while that is active, and never installed from here.
 */
#pragma once

#include "cluster/selection.h"
#include "kube/client.h"

struct activation_options {
    struct kube *client;
    struct kinds_list known;  /* as selection_make() gives them */
    struct patterns activate; /* none: all that are known */
};

struct activation {
    struct kinds_list served, installed; /* the second: those of the first whose definitions are ours to install */
    uint64_t digest;                     /* of both: another one when something has changed */
};

/* False and a diagnostic: the cluster cannot be asked. */
bool activation_make(struct arena *a, const struct activation_options *options, struct diags *diags, struct activation *ret);
