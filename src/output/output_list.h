/*
 * The list of files that runs wrote into a folder: for each scope a line of its own, then lines of HASH and PATH, sorted. The
 * part of output.h that remembers.
 */
#pragma once

#include "output/output.h"

/* Relative, without empty, "." or ".." steps, and printable: no way out of the folder. */
bool output_path_is_safe(struct str path);

uint64_t output_hash(struct str content);
/* As output_hash() of what is in the file at this path in a folder; false: there is no such file. */
bool output_hash_file(int folder, struct str path, uint64_t *ret);

struct output_lists {
    struct str text;               /* the new list */
    bool is_ours;                  /* a list of ours was there */
    struct map listed;             /* path -> const uint64_t *, the hash of what was written there */
    VEC(struct str) stale;         /* paths to remove */
    VEC(struct str) stale_changed; /* paths that would be removed, had nobody changed them */
};

/* From the list that is in the folder and the files of this run. What is not a list of ours counts as none. */
void output_list_update(struct output *o, struct output_lists *ret);
