/*
 * The list of files that runs wrote into a folder: for each scope a line of its own, then lines of HASH and PATH, sorted. The
 * part of output.h that remembers.
 */
#pragma once

#include "crossplane/output.h"

/* Relative, without empty, "." or ".." steps, and printable: no way out of the folder. */
bool output_path_is_safe(struct str path);

uint64_t output_hash(struct str content);
/* As output_hash() of what is in it; false: there is no such file. */
bool output_hash_file(const char *path, uint64_t *ret);

struct output_lists {
    struct str text;               /* the new list */
    VEC(struct str) stale;         /* paths to remove */
    VEC(struct str) stale_changed; /* paths that would be removed, had nobody changed them */
};

/* From the list that is in the folder and the files of this run. A list that cannot be understood counts as none. */
void output_list_update(struct output *o, struct output_lists *ret);
