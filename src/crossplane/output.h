/*
 * A folder of generated files: all of a run or nothing.
 *
 * Files go to a hidden folder beside their place first; output_commit() moves them all. A file whose content is there already is
 * left alone, so that its time tells when it changed. When anything fails, output_discard() leaves the folder as it was.
 */
#pragma once

#include "base/diag.h"
#include "base/vec.h"

struct output_file {
    struct str path;   /* in the folder */
    struct str staged; /* where its content waits; empty: it is there already */
};

struct output {
    struct arena *arena;
    const char *folder;
    const char *staging; /* NULL: nothing staged yet */
    bool made_folder;
    size_t n_written, n_unchanged;
    VEC(struct output_file) files;
};

void output_init(struct output *o, struct arena *a, const char *folder);
/* `path` is relative and has no ".."; false with a diagnostic. */
bool output_add(struct output *o, struct str path, struct str content, struct diags *diags);
bool output_commit(struct output *o, struct diags *diags);
/* After output_commit() it does nothing. */
void output_discard(struct output *o);
