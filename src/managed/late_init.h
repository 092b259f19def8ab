/*
 * Late initialisation: values that the provider chose for fields that the user left open are copied into spec.forProvider.
 *
 * - Only unset top-level fields of forProvider are filled, each with its whole observed value. Values of the user are never
 * extended,
 *   not even objects with unset fields.
 * - Zero values ("", 0, false, empty lists and objects) are not copied.
 * - A field that initProvider has is not copied: its drift would be repaired from then on, which initProvider is meant to avoid.
 * - A field is copied only if the provider accepts the object with it. Providers report values for mutually exclusive arguments,
 * and
 *   an object with both could never be applied again.
 */
#pragma once

#include "crossplane/model.h"

/* Would the provider accept this object? Gets the whole object as it would become. */
typedef bool managed_accept_fn(void *ctx, const struct json *object);

/*
 * The object with observed values (`state` is in Terraform's form). *ret is `object` itself when nothing was copied. `accept` may
 * be NULL: every value is accepted.
 */
bool managed_late_initialize(struct arena *a, const struct xp_kind *k, const struct json *object, const struct json *state,
                             managed_accept_fn *accept, void *ctx, struct diags *diags, const struct json **ret);

/* The rule alone: which fields are copied. */
struct managed_late_rules {
    const struct str *skip_zero; /* names of fields whose zero values are not copied; "*": all fields */
    size_t n_skip_zero;
    const struct json *initial; /* values of initProvider */
};

/* The values to add to `desired`, an object; a diagnostic when a value does not have its field's type. */
bool managed_late_values(struct arena *a, struct xp_fields fields, const struct json *desired, const struct json *observed,
                         const struct managed_late_rules *rules, struct diags *diags, const struct json **ret);
