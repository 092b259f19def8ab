/*
 * Credentials as users of Crossplane keep them, as arguments of a provider: JSON with the provider's names or the same in camel
 * case, the INI of AWS, or one text that is an argument as a whole.
 */
#pragma once

#include "base/json.h"
#include "schema/schema.h"

/* Is it the same name but for underscores and casing: storage_use_azuread, storageUseAzureAD? */
bool credentials_is_same(struct str argument, struct str name);
/* The argument of the provider block that is called so, also in camel case; empty: none. */
struct str credentials_argument(const struct schema_block *block, struct str name);

/*
 * An object of arguments; an empty one for an empty text. What JSON has that is no argument is left out. `provider` (aws) is for
 * messages, which never have a part of the text.
 */
bool credentials_read(struct arena *a, const struct schema_block *block, struct str provider, struct str text,
                      struct diags *diags, const struct json **ret);
