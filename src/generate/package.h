/*
 * What makes the CRDs a Crossplane package, and what a cluster needs to run a controller of these kinds:
 *
 *     crossplane.yaml   what the package is; its head says how to build it
 *     crds/             in addition to the kinds: ProviderConfig, ClusterProviderConfig (namespaced flavour) and
 *                       ProviderConfigUsage
 *     rbac/             roles for a controller and for people, where Crossplane's RBAC manager does not make them
 *     examples/, docs/  of the configuration, if examples and pages are asked for
 *
 * The folder itself is the root of the package. `crossplane xpkg build` takes every YAML file below it and refuses what is
 * neither CRD nor webhook configuration; it leaves out the examples by itself and rbac/ when told so (--ignore).
 *
 * A configuration has `credentials` as all Crossplane providers do (a secret with all arguments as JSON), so that manifests keep
 * working, and beside it `configuration`: every argument of the provider block, typed, those that are secret as references.
 */
#pragma once

#include "generate/generate.h"

/* After all kinds; notes what cannot be represented. */
bool package_emit(struct arena *a, const struct generate_options *options, struct generated *done, struct output *out,
                  struct diags *diags);
