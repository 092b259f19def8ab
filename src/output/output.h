/*
 * A folder of generated files: all of a run or nothing.
 *
 * Files go to a hidden folder beside their place first; output_commit() moves them all, and puts everything back when one cannot
 * be moved. A file whose content is there already is left alone, so that its time tells when it changed. When anything fails, or
 * the user interrupts, output_discard() leaves the folder as it was.
 *
 * What an earlier run wrote and this one does not make any more is removed. A list in the folder (OUTPUT_LIST) says what that is:
 * each file with its content's hash and the scope of the run that wrote it. A run removes only what is of its own scope and still
 * has the content it was given; a file that somebody changed stays, with a warning.
 *
 * Files that no run wrote are not overwritten, and no symbolic link in the folder is followed (output_place.h): such a run fails
 * before it has moved anything. With `force` files and links are replaced, but a link to a folder is never written through.
 */
#pragma once

#include "base/diag.h"
#include "base/map.h"
#include "base/vec.h"
#include "loop/loop.h"

#define OUTPUT_LIST ".terrane-files"

/* Sees each file as it is added, changed or not. False, with a diagnostic, ends the run. */
typedef bool output_watch_fn(void *ctx, struct str path, struct str content, struct diags *diags);

enum output_care {
    OUTPUT_PLAIN,
    OUTPUT_SECRET, /* only its owner may read it */
    OUTPUT_STATE,  /* likewise, and what another program has changed since a run wrote it is not replaced, unless by `force` */
};

struct output_file {
    struct str path;   /* in the folder */
    struct str staged; /* where its content waits; empty: it is there already */
    uint64_t hash;
    enum output_care care;
};

struct output {
    /* Set by the caller after output_init(). */
    struct str scope;      /* what was asked for, in a few words: runs of one scope replace one another */
    struct cancel *cancel; /* NULL: nothing interrupts */
    output_watch_fn *watch;
    void *watch_ctx;
    bool force; /* replace files that no run wrote */

    size_t n_written, n_unchanged, n_removed; /* for the user; the list does not count */

    /* Private. */
    struct arena *arena;
    const char *folder;
    int dir;             /* the folder, locked while there is a staging folder; -1: not open */
    const char *staging; /* name in the folder; NULL: nothing staged yet */
    int staging_dir;     /* -1: none */
    bool keep_staging;   /* it holds what could not be put back */
    bool is_broken;      /* nothing can be written, or nothing more is wanted; a diagnostic said so, and one is enough */
    const char *made;    /* the outermost folder that was not there before; NULL: all were */
    struct map paths;
    VEC(struct output_file) files;
};

/* `folder` NULL: nothing is written, only watched. */
void output_init(struct output *o, struct arena *a, const char *folder);
/* `path` is relative; false with a diagnostic, also when it leads out of the folder or was added before. */
bool output_add(struct output *o, struct str path, struct str content, struct diags *diags);
bool output_add_careful(struct output *o, struct str path, struct str content, enum output_care care, struct diags *diags);
bool output_commit(struct output *o, struct diags *diags);
/* After output_commit() it does nothing. */
void output_discard(struct output *o);
