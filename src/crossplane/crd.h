/*
 * A kind as CustomResourceDefinition, in YAML: the three trees in the frame that every managed resource has, printer columns,
 * status subresource, and the rules that make parameters required. Structural, as API servers ask for.
 */
#pragma once

#include "crossplane/model.h"

/*
 * etcd takes 1.5 MiB in one request, and stores a CRD as JSON. A kind that would be larger loses its descriptions first, then the
 * deeper levels of initProvider and atProvider, then those of forProvider: what is cut off is accepted unchecked, and noted.
 */
enum { CRD_MAX_JSON = 1400 * 1000, CRD_MAX_TEXT = 64 << 20 };

/* Appends one document. `flavour` is one of the kind's. False: a kind of that size cannot be written at all. */
bool crd_write(struct buf *out, const struct kind *k, enum flavour flavour, struct notes *notes, struct diags *diags);
