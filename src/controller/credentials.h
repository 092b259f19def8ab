/*
 * Turns credentials in the forms that users of Crossplane have into arguments of a provider: JSON with the provider's names or
 * the same in camel case, the INI format of AWS, or a text that is the value of one argument.
 */
#pragma once

#include "base/json.h"
#include "schema/schema.h"

/* Are the names the same except for underscores and case, as storage_use_azuread and storageUseAzureAD? */
bool credentials_is_same(struct str argument, struct str name);
/* The argument of the provider block with this name, also in camel case; empty: none. */
struct str credentials_argument(const struct schema_block *block, struct str name);

/*
 * Returns an object of arguments; an empty one for an empty text. Members of JSON that are no arguments are left out. `provider`
 * (aws) is for messages, which never contain a part of the text.
 */
bool credentials_read(struct arena *a, const struct schema_block *block, struct str provider, struct str text,
                      struct diags *diags, const struct json **ret);
