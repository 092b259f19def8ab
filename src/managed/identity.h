/*
 * Which external object a managed resource stands for: the external-name annotation, Terraform's id, and the tags that point back
 * to the managed resource (crossplane/external_name.h has the strategies).
 */
#pragma once

#include "crossplane/model.h"

/* The annotation; empty: no external name yet. */
struct str managed_external_name(const struct json *object);

/*
 * The object with its initial annotation: its own name, where the user chooses the external name. Returns the same object when it
 * already has an annotation, and when only the provider knows the name.
 */
const struct json *managed_init_external_name(struct arena *a, const struct xp_kind *k, const struct json *object);

/* `parameters` with the external name in its argument. */
const struct json *managed_add_name(struct arena *a, const struct xp_kind *k, const struct json *object,
                                    const struct json *parameters);

/*
 * The id for import or read; empty: nothing to read yet. `setup` may have "configuration" and "client_metadata" of the provider.
 * Values of forProvider that are not arguments, such as the region, count as parameters.
 */
bool managed_id(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *parameters,
                const struct json *setup, struct diags *diags, struct str *ret);

/*
 * The object with the external name from its state; the same object if it did not change. `state` is in Terraform's form. If the
 * type has no id and nothing in the state can be the name, the external name is the object's own; and if what is the name may
 * be that of several objects, the name that the object already has stays.
 */
bool managed_take_name(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *state,
                       struct diags *diags, const struct json **ret);

/* Is the id known before the creation? Then an interrupted creation is unambiguous: a read shows whether the object exists. */
bool managed_name_is_deterministic(const struct xp_kind *k);

/*
 * The object with the default tags in spec.forProvider, in the argument that the kind's configuration names: crossplane-kind
 * (kind and group in lower case), crossplane-name, crossplane-providerconfig. Sets these three and keeps other tags. Returns the
 * same object when nothing changes or the kind has no such argument.
 */
const struct json *managed_add_tags(struct arena *a, const struct xp_kind *k, const struct json *object);
