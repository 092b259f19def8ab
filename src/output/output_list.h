/*
 * The list of files that runs wrote into a folder (output.h): for each scope one line, followed by sorted lines of HASH and PATH.
 */
#pragma once

#include "output/output.h"

/* True when the path is relative, printable and has no empty, "." or ".." segments, so that it cannot lead out of the folder. */
bool output_path_is_safe(struct str path);

uint64_t output_hash(struct str content);
/* The output_hash() of the content of a file in a folder; false when there is no such file. */
bool output_hash_file(int folder, struct str path, uint64_t *ret);

struct output_lists {
    struct str text;               /* the new list */
    bool is_ours;                  /* the folder had a list that Terrane wrote */
    struct map listed;             /* path -> const uint64_t *, the hash of the content that was written */
    VEC(struct str) stale;         /* paths to remove */
    VEC(struct str) stale_changed; /* paths that would be removed if they had not been changed */
};

/* Computes the new list from the list in the folder and the files of this run. A file that is not such a list is ignored. */
void output_list_update(struct output *o, struct output_lists *ret);
