/*
 * An object's values and Terraform's, by the model of the kind (crossplane/model.h).
 *
 * Three forms of the same values:
 *
 *     manifest   names of manifests; singletons are objects; secrets, references and selectors stand where values would
 *     parameters Terraform's names and lists, as crossplane/tree.h has them: a block of nesting SINGLE or GROUP is a list of one
 *     Terraform  what providers take and give: such a block is an object
 *
 * Everything between (secrets, external names, initProvider) works on parameters; the last form is made at the edge. Numbers keep
 * their text. null is absent. Sensitive values are in no manifest: they come from secrets (sensitive.h) and go there.
 */
#pragma once

#include "crossplane/model.h"

/*
 * Values of forProvider or initProvider as parameters. `values` may be NULL. A field that the kind does not have is left out with
 * a warning; a value of another type than its field's is an error that says where.
 */
bool managed_parameters_of(struct arena *a, const struct xp_kind *k, enum xp_tree_name tree, const struct json *values,
                           struct diags *diags, const struct json **ret);

/* spec.forProvider over spec.initProvider (managed_merge): what an object wants before it exists. */
bool managed_parameters(struct arena *a, const struct xp_kind *k, const struct json *object, struct diags *diags,
                        const struct json **ret);

/*
 * What spec.forProvider says beside the arguments of the resource, by Terraform's names: arguments of the provider's
 * configuration for this object (region), and flags for the controller.
 */
bool managed_beside(struct arena *a, const struct xp_kind *k, const struct json *object, struct diags *diags,
                    const struct json **ret);

/* The last form, and back. Attributes that the kind does not know stay as they are. */
const struct json *managed_terraform_of(struct arena *a, const struct xp_kind *k, const struct json *parameters);
const struct json *managed_parameters_of_state(struct arena *a, const struct xp_kind *k, const struct json *state);

/*
 * Parameters as one of the trees has them: AT_PROVIDER for the status, FOR_PROVIDER for late initialisation. What that tree does
 * not have, secrets above all, is left out.
 */
bool managed_values_of(struct arena *a, const struct xp_kind *k, enum xp_tree_name tree, const struct json *parameters,
                       struct diags *diags, const struct json **ret);

/* The object with status.atProvider of this state (in Terraform's form). */
bool managed_set_observed(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *state,
                          struct diags *diags, const struct json **ret);
