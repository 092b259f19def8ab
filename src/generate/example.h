/*
 * Writes an example manifest of a kind: the minimum that its CRD and its provider accept, with a comment for every value that
 * readers must replace. Secrets are references, and the example includes the Secret they refer to.
 *
 * All example objects are named "example" and refer to one another by that name, so that references resolve if all are applied.
 */
#pragma once

#include "crossplane/model.h"

/* Appends YAML documents. */
void example_write(struct buf *out, const struct xp_kind *k, enum xp_flavour flavour);

/*
 * The same for a kind that configures the provider: `k` has the arguments of the provider block in forProvider, and its names are
 * those of the configuration kind. `namespaced`: its objects are in a namespace.
 */
void example_write_config(struct buf *out, const struct xp_kind *k, struct str group, bool namespaced);
