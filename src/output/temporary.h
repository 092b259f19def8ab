/*
 * A temporary folder, 0700, that shows whether its owner lives: he holds a lock on a file in it. Where that lock can be had
 * nobody needs the folder any more, and whoever makes the next one of that prefix removes it, with all that is in it. A folder
 * without that file is not ours to judge.
 */
#pragma once

#include "base/arena.h"

struct temporary {
    const char *path;
    int lock;
};

/* PARENT/PREFIX plus six characters. False: errno says why. The path lives in `a`. */
bool temporary_make(struct arena *a, const char *parent, const char *prefix, struct temporary *ret);
/* The folder with all that is in it. */
void temporary_remove(struct temporary *t);

/* TMPDIR if it is an absolute path of at most `longest` bytes, else /tmp. */
const char *temporary_parent(size_t longest);
/* A file or folder with all that is in it, entered by descriptors and never by a link. `parent` may be AT_FDCWD. */
void temporary_remove_tree(int parent, const char *name);
