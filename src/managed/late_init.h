/*
 * Late initialisation: what the provider has chosen for fields that the user left open is copied into spec.forProvider.
 *
 * - Only fields at the top of forProvider that say nothing are filled, each with all that was observed for it. What the user gave
 *   is never added to, not even where it is an object with fields left open.
 * - Zero values ("", 0, false, empty lists and objects) are not copied.
 * - A field that initProvider has is not copied: from then on it would be repaired, which is what initProvider is to avoid.
 * - A field is copied only if the provider accepts the object with it. Providers report values for arguments that exclude each
 *   other, and an object that had both could never be applied again.
 */
#pragma once

#include "crossplane/model.h"

/* Would the provider accept this object? Called with the whole object as it would become. */
typedef bool managed_accept_fn(void *ctx, const struct json *object);

/*
 * The object with what was observed (in Terraform's form). *ret is `object` itself when nothing was copied. `accept` may be NULL:
 * everything is accepted.
 */
bool managed_late_initialize(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *state,
                             managed_accept_fn *accept, void *ctx, struct diags *diags, const struct json **ret);

/* Which fields are copied, and which are not: the rule by itself. */
struct managed_late_rules {
    const struct str *skip_zero; /* names of fields whose zero values are not copied; "*": of all */
    size_t n_skip_zero;
    const struct json *initial; /* values that initProvider has */
};

/* The values to add to `desired`, an object; a diagnostic when values are not of their fields' types. */
bool managed_late_values(struct arena *a, struct xp_fields fields, const struct json *desired, const struct json *observed,
                         const struct managed_late_rules *rules, struct diags *diags, const struct json **ret);
