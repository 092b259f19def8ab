/* Objects that exist and are in no state: a listing of the account without the objects of the states. */
#pragma once

#include "drift/drift.h"
#include "import/rows.h"

/*
 * `found` are existing objects, by id or by identity, as a source of the import finds them; none of them was read, because they
 * are not compared. Those that are in no state and that .driftignore does not name are added to the drift's `unmanaged`, in
 * order.
 *
 * An object is recognised by its id; by its identity; by the parts of the identity that are attributes under the same names
 * (states of Terraform before 1.12 have no identity); by an id that is composed of its values, such as ROLE/POLICY; or by a required
 * argument that is the whole id and a part of the state's.
 *
 * What a managed object says itself is not unmanaged: a rule of a security group, a route of a table (the pairs of the rows).
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
