/*
 * The result of an apply: what was planned, with the unknowns filled from what the service returned.
 *
 * Terraform wants every known part of a plan back as it was, and nothing unknown. So what is known stays, to the letter: the
 * order of arrays, the wording of JSON, an empty list that the service left out, a null that the service has an opinion on (a
 * refresh will tell). An unknown becomes what the service has there, or null. Elements of arrays are found again by what is
 * known of them, so an array that the service returned in another order is no problem; elements of ordered arrays by their
 * place, if there are as many.
 */
#pragma once

#include "cloudcontrol/node_value_private.h"

/* `planned` and `read` are objects of root's type; `read` may be NULL, when the service could not be asked. Wholly known. */
const struct value *cc_fill(struct arena *a, const struct cc_node *root, const struct value *planned, const struct value *read);

/*
 * Likewise from what was before: a plan in which unknown parts are as they were, or null. Elements only by what is known of
 * them, never by their place.
 */
const struct value *cc_fill_prior(struct arena *a, const struct cc_node *root, const struct value *planned,
                                  const struct value *prior);

/*
 * Where the service has something else than it was given: known properties of `sent` for which `read` has another value, in the
 * sense of compare.h. A service that writes a name in lower case is not hidden: the next plan will show it, and a warning says
 * why.
 * What the service alone decides, never gives back or left out is not looked at.
 */
struct cc_paths cc_changed(struct arena *a, const struct cc_node *root, const struct value *sent, const struct value *read);
