/*
 * The result of an apply: the planned value, with unknowns filled from what the service returned.
 *
 * Terraform requires every known part of the plan to come back unchanged, and nothing unknown. So known parts stay exactly as
 * they are: the order of arrays, the formatting of JSON, an empty list that the service left out, a null where the service has a
 * value (the next refresh shows it). An unknown becomes the service's value, or null. Array elements are matched by their known
 * parts, so the service may return them in another order; elements of ordered arrays by position, if the numbers are equal.
 */
#pragma once

#include "cloudcontrol/node_value_private.h"

/* `planned` and `read` are objects of root's type; `read` is NULL if it could not be fetched. The result is wholly known. */
const struct value *cc_fill(struct arena *a, const struct cc_node *root, const struct value *planned, const struct value *read);

/*
 * Fills the unknowns of a plan from the prior value, or with null. Matches array elements only by their known parts, never by
 * position.
 */
const struct value *cc_fill_prior(struct arena *a, const struct cc_node *root, const struct value *planned,
                                  const struct value *prior);

/*
 * Where the service changed what it was sent: known properties of `sent` that have another value in `read`, as compare.h defines
 * it. If, say, a service stores a name in lower case, that is not hidden: the next plan shows it, and a warning says why.
 * Properties that are read-only, write-only or missing in `read` are ignored.
 */
struct cc_paths cc_changed(struct arena *a, const struct cc_node *root, const struct value *sent, const struct value *read);
