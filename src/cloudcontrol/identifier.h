/*
 * What identifies an object: Terraform's `id`, which is Cloud Control's identifier (the values of the primary identifier's
 * properties in order, joined with |), and the resource identity (the same values as attributes, with account and region).
 */
#pragma once

#include "translate/translate.h"

/* The text of a primitive, known value in an identifier; empty for null. */
struct str cc_identifier_text(struct arena *a, const struct value *v);

/* Sets the id of an object; returns the id of an object, empty if it is null or unknown. */
const struct value *cc_with_id(struct arena *a, const struct cc_node *root, const struct value *object, struct str id);
struct str cc_id_of(const struct cc_node *root, const struct value *object);

/* The state of an imported object: only the id is known. */
const struct value *cc_import_object(struct arena *a, const struct cc_node *root, struct str id);

/*
 * The identity of an object, a value of `identity_type` (cc_schema_identity). Its parts come from the properties of `object` (may
 * be NULL), else from the id if that has the right number of parts; the rest is null.
 */
const struct value *cc_identity(struct arena *a, const struct cc_type *type, const struct type *identity_type,
                                const struct value *object, struct str id, struct str account, struct str region);

/*
 * The id for an identity. An omitted account or region that is part of the id is the provider's own. False and a diagnostic if
 * another part is missing or empty, or if the account or region is not part of the id and differs from the provider's.
 */
bool cc_identity_to_id(struct arena *a, const struct cc_type *type, const struct value *identity, struct str account,
                       struct str region, struct diags *diags, struct str *ret);
