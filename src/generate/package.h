/*
 * Writes the files that make the CRDs a Crossplane package, and those that a cluster needs to run a controller for these kinds:
 *
 *     crossplane.yaml   the package's metadata; comments at the top say how to build it
 *     crds/             in addition to the kinds: ProviderConfig, ClusterProviderConfig (namespaced flavour) and
 *                       ProviderConfigUsage
 *     rbac/             roles for a controller and for users, for clusters without Crossplane's RBAC manager
 *     examples/, docs/  for the configuration kinds, if examples and pages are requested
 *
 * The folder itself is the root of the package. `crossplane xpkg build` includes every YAML file below it and refuses anything
 * but CRDs and webhook configurations; it skips the examples by default, and rbac/ with --ignore.
 *
 * A ProviderConfig has `credentials` like all Crossplane providers (a secret with all arguments as JSON), so that manifests keep
 * working, and also `configuration`: every argument of the provider block, typed, with secret ones as references.
 */
#pragma once

#include "generate/generate.h"

/* Call it after all kinds are done. Notes what cannot be represented. */
bool package_emit(struct arena *a, const struct generate_options *options, struct generated *done, struct output *out,
                  struct diags *diags);
