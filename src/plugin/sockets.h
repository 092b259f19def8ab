/*
 * Where a provider that we start puts its socket: a folder of its own, 0700, below TMPDIR or /tmp. Removed with what is in
 * it, no socket is left behind by a provider that was killed. What a killed Terrane left goes when the next one makes a folder.
 */
#pragma once

#include "base/diag.h"
#include "output/temporary.h"

/* Removed by temporary_remove(). A diagnostic on failure. */
bool socket_folder_make(struct arena *a, struct diags *diags, struct temporary *ret);

/*
 * The socket of a provider that ignores the folder it was given. Only a socket of our own user directly in TMPDIR or /tmp is
 * removed: the path is what the provider said, and it must not make us delete anything else.
 */
void socket_remove_stray(struct str path);
