/*
 * Archives that are the same bytes for the same files: tar and zip, with root as owner, no times, entries in the order in which
 * they are given (parents are the caller's). Content comes from memory or from a file.
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
/* In any case. False: it is not complete; what is there of it is the caller's to remove. */
bool packed_end(struct packed_out *o);
