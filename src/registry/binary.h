/* Finds the binary of an unpacked provider, and derives address and version from a binary's path. */
#pragma once

#include "registry/address.h"

/*
 * The provider's binary in a folder: terraform-provider-TYPE, alone or followed by "_" or "." and anything; the first by name
 * that is an executable file. A diagnostic if there is none.
 */
bool provider_binary_in_folder(struct arena *a, struct str folder, struct str type, struct diags *diags, struct str *ret_path);

/* Is the path an executable file? If not, a diagnostic says what is wrong. */
bool provider_binary_check(struct str path, struct diags *diags);

/* Address and version (empty: unknown), from the mirror's folders above the binary, or else from its file name. */
void provider_binary_describe(struct arena *a, struct str path, struct provider_address *ret_address, struct str *ret_version);
