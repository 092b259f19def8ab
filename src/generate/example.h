/*
 * An example manifest of a kind: the least that its CRD and its provider accept, with every value a reader must replace in sight;
 * a comment says what each of them is. Secrets are references, and the secret they speak of is part of the example.
 *
 * All examples are called "example" and refer to one another by that name: applied together, references find what they ask for.
 */
#pragma once

#include "crossplane/model.h"

/* Appends YAML documents. */
void example_write(struct buf *out, const struct xp_kind *k, enum xp_flavour flavour);

/*
 * Of a kind that configures the provider: `k` has the arguments of the provider block in forProvider, its names are those of the
 * configuration. `namespaced`: objects of it are in a namespace.
 */
void example_write_config(struct buf *out, const struct xp_kind *k, struct str group, bool namespaced);
