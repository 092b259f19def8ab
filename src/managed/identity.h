/*
 * Which object of the outside world an object stands for: the annotation external-name, the id that Terraform knows, and the tags
 * that lead back (crossplane/external_name.h has the strategies).
 */
#pragma once

#include "crossplane/model.h"

/* The annotation; empty: it has no name yet. */
struct str managed_external_name(const struct json *object);

/*
 * The object with the annotation that it starts with: its own name, where the name is the user's to choose. The same object where
 * there is one already, and where only the provider knows it.
 */
const struct json *managed_init_external_name(struct arena *a, const struct xp_kind *k, const struct json *object);

/* `parameters` with the name in the argument that it stands for. */
const struct json *managed_add_name(struct arena *a, const struct xp_kind *k, const struct json *object,
                                    const struct json *parameters);

/*
 * The id to import or to read by; empty: there is nothing to ask for yet. `setup` may have "configuration" and "client_metadata"
 * of the provider. What the object says beside its arguments, as its region, counts as a parameter.
 */
bool managed_id(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *parameters,
                const struct json *setup, struct diags *diags, struct str *ret);

/* The object with the name that its state has; the same object when it had that one. `state` is in Terraform's form. */
bool managed_take_name(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *state,
                       struct diags *diags, const struct json **ret);

/*
 * Is the id known before the creation? Then an interrupted creation is no riddle: whoever looks finds the object or does not.
 */
bool managed_name_is_deterministic(const struct xp_kind *k);

/*
 * The object with the default tags in spec.forProvider, in the argument that the configuration of the kind names: crossplane-kind
 * (kind and group in lower case), crossplane-name, crossplane-providerconfig. Tags that are there stay, those three are set. The
 * same object when nothing changes or the kind has no such argument.
 */
const struct json *managed_add_tags(struct arena *a, const struct xp_kind *k, const struct json *object);
