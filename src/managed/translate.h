/*
 * Translates between an object's values and Terraform's, using the kind's model (crossplane/model.h).
 *
 * There are three forms of the same values:
 *
 *     manifest   names of manifests; singletons are objects; secrets, references and selectors replace values
 *     parameters Terraform's names and lists, as in crossplane/tree.h: a block of nesting SINGLE or GROUP is a list of one
 *     Terraform  the form of providers: such a block is an object
 *
 * Everything in between (secrets, external names, initProvider) works on parameters; the last form is used only at the edge.
 * Numbers keep their text. null means absent. Manifests never contain sensitive values: these come from secrets (sensitive.h) and
 * go there.
 */
#pragma once

#include "crossplane/model.h"

/*
 * Converts values of forProvider or initProvider to parameters. `values` may be NULL. A field that the kind does not have is left
 * out with a warning; a value of the wrong type is an error with its path.
 */
bool managed_parameters_of(struct arena *a, const struct xp_kind *k, enum xp_tree_name tree, const struct json *values,
                           struct diags *diags, const struct json **ret);

/* spec.forProvider merged over spec.initProvider (managed_merge): the desired state before the object exists. */
bool managed_parameters(struct arena *a, const struct xp_kind *k, const struct json *object, struct diags *diags,
                        const struct json **ret);

/*
 * Values of spec.forProvider that are not arguments of the resource, by Terraform's names: arguments of the provider's
 * configuration for this object (region), and flags for the controller.
 */
bool managed_beside(struct arena *a, const struct xp_kind *k, const struct json *object, struct diags *diags,
                    const struct json **ret);

/* Convert between parameters and the Terraform form. Attributes that the kind does not know stay as they are. */
const struct json *managed_terraform_of(struct arena *a, const struct xp_kind *k, const struct json *parameters);
const struct json *managed_parameters_of_state(struct arena *a, const struct xp_kind *k, const struct json *state);

/*
 * Converts parameters to a tree of the manifest: AT_PROVIDER for the status, FOR_PROVIDER for late initialisation. Values that
 * the tree does not have, such as secrets, are left out.
 */
bool managed_values_of(struct arena *a, const struct xp_kind *k, enum xp_tree_name tree, const struct json *parameters,
                       struct diags *diags, const struct json **ret);

/* Sets status.atProvider from this state (in Terraform's form). */
bool managed_set_observed(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *state,
                          struct diags *diags, const struct json **ret);
