/*
 * A temporary folder (mode 0700) whose owner holds a lock on a file in it while it lives. If another process can take that lock,
 * the owner is dead: temporary_make() removes such leftover folders of the same prefix, with all they contain. A folder without
 * the lock file is left alone.
 */
#pragma once

#include "base/arena.h"

struct temporary {
    const char *path;
    int lock;
};

/* Creates PARENT/PREFIX plus six characters. The path is allocated in `a`. False with errno on failure. */
bool temporary_make(struct arena *a, const char *parent, const char *prefix, struct temporary *ret);
/* Removes the folder and all that is in it. */
void temporary_remove(struct temporary *t);

/* TMPDIR if it is an absolute path of at most `longest` bytes, else /tmp. */
const char *temporary_parent(size_t longest);
/* Removes a file, or a folder with all that is in it, using descriptors and never following links. `parent` may be AT_FDCWD. */
void temporary_remove_tree(int parent, const char *name);
