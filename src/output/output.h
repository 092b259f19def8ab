/*
 * A folder of generated files: a run writes all of its files or none.
 *
 * Files are first written to a hidden staging folder. output_commit() moves them all into place, and restores everything if one
 * cannot be moved. A file that already has the right content is not touched, so its modification time says when it changed. When
 * anything fails, or the user interrupts, output_discard() leaves the folder as it was.
 *
 * Files that an earlier run wrote and this run does not generate are removed. They are known from a list in the folder
 * (OUTPUT_LIST): each file with the hash of its content and the scope of the run that wrote it. A run removes only files of its
 * own scope that still have the content that was written; a file that was changed since stays, with a warning.
 *
 * Files that no run wrote are not overwritten, and symbolic links in the folder are not followed (output_place.h): a run that
 * would need to do so fails before it moves anything. With `force` such files and links are replaced, but a link to a folder is
 * never followed.
 */
#pragma once

#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "loop/loop.h"

#define OUTPUT_LIST ".terrane-files"

/* Called for each file as it is added, whether it changed or not. Returns false, with a diagnostic, to end the run. */
typedef bool output_watch_fn(void *ctx, struct str path, struct str content, struct diags *diags);

enum output_care {
    OUTPUT_PLAIN,
    OUTPUT_SECRET, /* only its owner may read it */
    OUTPUT_STATE,  /* like OUTPUT_SECRET; and a file that another program changed since a run wrote it is replaced only with
                      `force` */
};

struct output_file {
    struct str path;   /* in the folder */
    struct str staged; /* its name in the staging folder; empty: the file is up to date already */
    uint64_t hash;
    enum output_care care;
};

struct output {
    /* Set by the caller after output_init(). */
    struct str scope;      /* a short description of the request: a run replaces the files of earlier runs of the same scope */
    struct cancel *cancel; /* NULL: cannot be interrupted */
    output_watch_fn *watch;
    void *watch_ctx;
    bool force; /* replace files that no run wrote */

    size_t n_written, n_unchanged, n_removed; /* reported to the user; the list itself is not counted */

    /* Private. */
    struct arena *arena;
    const char *folder;
    int dir;             /* descriptor of the folder, locked while there is a staging folder; -1: not open */
    const char *staging; /* name of the staging folder; NULL: nothing staged yet */
    int staging_dir;     /* -1: none */
    bool keep_staging;   /* it holds files that could not be restored */
    bool is_broken;      /* the run has failed and the diagnostic was added: later calls fail without another one */
    const char *made;    /* the outermost folder that this run created; NULL: none */
    struct map paths;
    VEC(struct output_file) files;
};

/* `folder` may be NULL: nothing is written, only `watch` is called. */
void output_init(struct output *o, struct arena *a, const char *folder);
/* Adds a file. `path` is relative to the folder. False, with a diagnostic, also when it leads out of the folder or was added
 * before. */
bool output_add(struct output *o, struct str path, struct str content, struct diags *diags);
bool output_add_careful(struct output *o, struct str path, struct str content, enum output_care care, struct diags *diags);
bool output_commit(struct output *o, struct diags *diags);
/* Does nothing after output_commit(). */
void output_discard(struct output *o);
