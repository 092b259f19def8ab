/*
 * A folder of manifests, a single file or standard input: reads the manifests and follows changes.
 *
 * Files count if they end in .yaml, .yml or .json, also in subfolders. Names that begin with a dot do not count, which excludes
 * editors' temporary files. terrane.yaml at the top configures the folder (project.h) and is not a manifest.
 *
 * The path is looked up at each scan: where it is a link, or has one, the folder that it leads to then is read. If it leads
 * nowhere the scan fails, and no file counts as removed.
 *
 * A file is read again when it has changed and is complete: while a process has it open for writing, its previous content counts.
 * So a scan costs one stat(2) for each file. Once the objects of a file were used, only their names are kept (folder_used), or
 * ten thousand manifests would stay in memory.
 */
#pragma once

#include "base/clock.h"
#include "manifests/manifest.h"

enum {
    FOLDER_MAX_FILES = 100000,
    FOLDER_MAX_DEPTH = 16,
    FOLDER_MAX_BYTES = 256 << 20, /* of all files together */
    FOLDER_TRIES = 5,             /* scans of a folder that changes meanwhile */
};
#define FOLDER_PROJECT "terrane.yaml"
#define FOLDER_QUIET_NS (100 * NS_PER_MS) /* wait this long for another change after a change, */
#define FOLDER_SETTLE_NS (1 * NS_PER_S)   /* but in total no longer than this */
#define FOLDER_WRITING_NS (10 * NS_PER_S) /* a file that is open for writing longer than this is read as it is */
#define FOLDER_RESCAN_NS (10 * NS_PER_S)  /* for file systems that do not report changes */

/* The content of one file. */
struct folder_file {
    const char *path;           /* valid as long as the folder */
    struct manifests manifests; /* with their objects until folder_used() */
    struct diags diags;         /* from reading the file */
    bool broken;                /* the file has errors: `manifests` is incomplete */
    bool changed;               /* read by the last scan */
};

struct folder_files {
    const struct folder_file *const *v; /* sorted by path */
    size_t n;
    bool changed; /* differs from the scan before: a file was read, or is gone */
};

struct folder;

/* Returns NULL and a diagnostic when the path does not exist. The n files in `except` are not manifests. */
struct folder *folder_open(const char *path, const char *const *except, size_t n, struct diags *diags);
void folder_free(struct folder *f); /* accepts NULL */

/* The absolute path as it was given, with its links; "-" for standard input. */
const char *folder_path(const struct folder *f);
bool folder_is_input(const struct folder *f);

/*
 * Scans all files. The result is valid until the next scan. False and a diagnostic (none if the scan before has failed for the
 * same reason): the folder is not there, cannot be read, or exceeds the limits; then the previous result stays.
 */
bool folder_scan(struct folder *f, struct diags *diags, struct folder_files *ret);

/*
 * Call this when the result of the last scan was used: sets `object` of all manifests read so far to NULL and drops the
 * diagnostics of their files (`broken` stays).
 */
void folder_used(struct folder *f);

/*
 * Waits until something has changed and no further changes follow; false: the deadline has passed, or folder_wake() was called.
 * May return true without a change.
 */
bool folder_wait(struct folder *f, int64_t deadline);
/* May be called from any thread: the current or next folder_wait() returns. */
void folder_wake(struct folder *f);
