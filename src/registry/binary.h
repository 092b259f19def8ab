/* The binary of an unpacked provider, and what a binary's path tells about it. */
#pragma once

#include "registry/address.h"

/*
 * The file of the folder that is the provider's binary: terraform-provider-TYPE, alone or followed by "_" or "." and anything;
 * the first in order of names that is a file and may be run. A diagnostic otherwise.
 */
bool provider_binary_in_folder(struct arena *a, struct str folder, struct str type, struct diags *diags, struct str *ret_path);

/* Is the path a file that may be run? A diagnostic that says what is wrong otherwise. */
bool provider_binary_check(struct str path, struct diags *diags);

/* Address and version (empty: unknown) as the folders of a mirror around it, or else its file name, tell them. */
void provider_binary_describe(struct arena *a, struct str path, struct provider_address *ret_address, struct str *ret_version);
