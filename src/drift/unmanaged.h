/* What exists and is in no state: of a list of the account, what states have is taken out. */
#pragma once

#include "drift/drift.h"
#include "import/rows.h"

/*
 * `found` are objects that exist, by id or by identity, as a source of import finds them; none of them was read, for nobody
 * compares them. Those that are in no state, and that .driftignore does not name, are added to the drift's `unmanaged`, in order.
 *
 * An object is known by its id, by its identity, or (states of Terraform before 1.12 have none) by those parts of the identity
 * that are attributes of it under the same names; or by an id that is made of its values, as ROLE/POLICY.
 */
struct drift_listing {
    const struct provider_schema *schema;
    const struct rows *rows; /* which services have no regions */
    /* By number of a provider: objects of which of them can be what was found: those of the same configuration, or, of a service
     * without regions, of the same one but for the region. */
    const bool *own, *account;
};
void drift_add_unmanaged(struct drift *d, const struct worklist *found, const struct drift_listing *l);
