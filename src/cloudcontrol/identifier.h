/*
 * What names an object: the `id` of Terraform, which is Cloud Control's identifier (the values of the primary identifier's
 * properties in order, with | between), and the resource identity (the same values one by one, with account and region).
 */
#pragma once

#include "translate/translate.h"

/* The text of a value in an identifier: empty for null. Primitive and known. */
struct str cc_identifier_text(struct arena *a, const struct value *v);

/* The object with this id, and the other way round: empty when it is null or unknown. */
const struct value *cc_with_id(struct arena *a, const struct cc_node *root, const struct value *object, struct str id);
struct str cc_id_of(const struct cc_node *root, const struct value *object);

/* The state of an object of which only the id is known yet. */
const struct value *cc_import_object(struct arena *a, const struct cc_node *root, struct str id);

/*
 * The identity of an object, a value of `identity_type` (cc_schema_identity). Its parts are the properties of `object` (may be
 * NULL), or those of the id where that has as many parts; the rest is null.
 */
const struct value *cc_identity(struct arena *a, const struct cc_type *type, const struct type *identity_type,
                                const struct value *object, struct str id, struct str account, struct str region);

/*
 * The id that an identity means; an account or region that is part of the id and left out is this provider's. False and a
 * diagnostic: another part is missing or empty, or the account or region is no part of the id and another than this provider's.
 */
bool cc_identity_to_id(struct arena *a, const struct cc_type *type, const struct value *identity, struct str account,
                       struct str region, struct diags *diags, struct str *ret);
