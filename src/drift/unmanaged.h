/* Objects that exist and are in no state: a listing of the account without the objects of the states. */
#pragma once

#include "drift/drift.h"
#include "import/rows.h"

/*
 * `found` are existing objects, by id or by identity, as a source of the import finds them; none of them was read, because they
 * are not compared. Those that are in no state and that .driftignore does not name are added to the drift's `unmanaged`, in
 * order.
 *
 * What counts as being in a state: drift/held.h.
 */
struct drift_listing {
    const struct provider_schema *schema;
    const struct rows *rows; /* says which services have no regions */
    /*
     * Indexed like drift.providers: may a found object be one of this provider's? `own`: providers with the same configuration;
     * `account`, for services without regions: providers whose configuration differs at most in the region.
     */
    const bool *own, *account;
};
void drift_add_unmanaged(struct drift *d, const struct worklist *found, const struct drift_listing *l);
