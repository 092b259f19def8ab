/*
 * The folder for the socket of a provider that we start: one for each provider, mode 0700, below TMPDIR or /tmp. It is removed
 * with its contents, so a killed provider leaves no socket behind. Folders that a killed Terrane left are removed when a later
 * one makes its folder.
 */
#pragma once

#include "base/diag.h"
#include "output/temporary.h"

/* Makes the folder, to be removed by temporary_remove(). A diagnostic on failure. */
bool socket_folder_make(struct arena *a, struct diags *diags, struct temporary *ret);

/*
 * Removes the socket of a provider that ignored the folder it was given. Only a socket of our own user directly in TMPDIR or /tmp
 * is removed: the path comes from the provider, which must not be able to make us delete anything else.
 */
void socket_remove_stray(struct str path);
