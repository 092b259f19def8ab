/* Files and folders that only their owner can access. */
#pragma once

#include "base/diag.h"

/*
 * Makes sure that the folder exists with mode 0700, and creates it if needed. A folder that others can enter is refused: it may
 * be shared on purpose.
 */
bool private_folder(const char *path, struct diags *diags);
/* Checks that the file, if it exists, has mode 0600 or less. */
bool private_check(const char *path, struct diags *diags);
