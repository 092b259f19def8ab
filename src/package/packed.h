/*
 * Reproducible archives, with the same bytes for the same files: tar and zip, with root as owner, without times, entries in the
 * given order (the caller adds parent folders). Content comes from memory or from a file.
 */
#pragma once

#include "base/diag.h"
#include "lazy/lazy_archive.h"

#include <sys/types.h>

enum packed_form { PACKED_TAR, PACKED_ZIP };

struct packed_out {
    const struct lazy_archive *lib;
    struct archive *archive;
    const char *path;
    struct diags *diags;
};

bool packed_begin(struct packed_out *o, enum packed_form form, const char *path, struct diags *diags);
bool packed_add(struct packed_out *o, const char *name, struct str content, mode_t mode);
bool packed_add_file(struct packed_out *o, const char *name, const char *from, mode_t mode);
bool packed_add_folder(struct packed_out *o, const char *name, mode_t mode);
/* Must be called in any case. False: the archive is not complete; the caller removes what was written. */
bool packed_end(struct packed_out *o);
