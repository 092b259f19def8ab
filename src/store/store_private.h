/* Files and folders that are their owner's alone. */
#pragma once

#include "base/diag.h"

/* The folder is there, 0700; made if need be. One that others can enter is refused: it may be somebody's on purpose. */
bool private_folder(const char *path, struct diags *diags);
/* The file, if it is there, is 0600 or less. */
bool private_check(const char *path, struct diags *diags);
