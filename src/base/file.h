/*
 * Whole files: read with a bound, written so that a reader sees the old content or the new, never half.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

#include <sys/types.h>

/* The content; a diagnostic names the file and the reason otherwise (absent, a folder, larger than max). */
bool file_read(struct arena *a, const char *path, size_t max, struct diags *diags, struct str *ret);

/* Temporary file beside it, fsync, rename; on failure nothing is left behind. `mode` less the umask; a link is replaced. */
bool file_write(const char *path, struct str content, mode_t mode, struct diags *diags);

/* The folder and its parents, each missing one with this mode. */
bool file_make_folder(const char *path, mode_t mode, struct diags *diags);

bool file_exists(const char *path);
