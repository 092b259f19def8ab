/*
 * A folder of manifests, or one file, or standard input: read, and followed as people edit it.
 *
 * What counts are files that end in .yaml, .yml or .json, also in folders below; whose name begins with a dot does not, so
 * editors' temporary files do not either. terrane.yaml at the top is about the folder (project.h) and not a manifest.
 *
 * A file is read again when it was changed, and when it is complete: while somebody has it open for writing, what it said before
 * counts. So a scan costs one stat(2) for each file. Of files whose objects have been used only the objects' names are kept
 * (folder_used), or ten thousand manifests would stay in memory.
 */
#pragma once

#include "base/clock.h"
#include "manifests/manifest.h"

enum {
    FOLDER_MAX_FILES = 100000,
    FOLDER_MAX_DEPTH = 16,
    FOLDER_MAX_BYTES = 256 << 20, /* of all files together */
};
#define FOLDER_PROJECT "terrane.yaml"
#define FOLDER_QUIET_NS (100 * NS_PER_MS) /* after a change the next one is waited for so long, */
#define FOLDER_SETTLE_NS (1 * NS_PER_S)   /* but not longer than this */
#define FOLDER_WRITING_NS (10 * NS_PER_S) /* a file that is open for writing longer than this is read as it is */
#define FOLDER_RESCAN_NS (10 * NS_PER_S)  /* for file systems that do not tell of changes */

/* What one file says. */
struct folder_file {
    const char *path;           /* lasts as long as the folder */
    struct manifests manifests; /* their objects until folder_used() */
    struct diags diags;         /* of reading it */
    bool broken;                /* something in it is wrong: what is in `manifests` is not all of it */
    bool changed;               /* it was read by the last scan */
};

struct folder_files {
    const struct folder_file *const *v; /* in order of their paths */
    size_t n;
    bool changed; /* something differs from the scan before: a file was read, or has gone */
};

struct folder;

/* NULL and a diagnostic: there is nothing of this name. Files whose paths are in `except` (n of them) are no manifests. */
struct folder *folder_open(const char *path, const char *const *except, size_t n, struct diags *diags);
void folder_free(struct folder *f); /* NULL is accepted */

/* The whole path; "-" for standard input. */
const char *folder_path(const struct folder *f);
bool folder_is_input(const struct folder *f);

/*
 * All files as they are now. What is returned lasts until the next scan. False and a diagnostic: the folder cannot be read, or
 * has more than the limits allow; what was there before counts.
 */
bool folder_scan(struct folder *f, struct diags *diags, struct folder_files *ret);

/*
 * What the last scan gave has been used: from here on `object` of manifests that were read so far is NULL, and what was wrong
 * with their files is forgotten (`broken` stays).
 */
void folder_used(struct folder *f);

/*
 * Waits until something has changed and things have been quiet since; false: the deadline has passed, or folder_wake() was
 * called. True may mean nothing.
 */
bool folder_wait(struct folder *f, int64_t deadline);
/* From any thread: whoever waits, or will next, returns. */
void folder_wake(struct folder *f);
