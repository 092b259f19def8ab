/*
 * Packed providers: a zip archive is unpacked once into the cache folder and found there the next time.
 *
 *     <cache>/providers/<key of the zip's path>/<stamp of its device, inode, size, mtime>/...
 *
 * A changed zip has another stamp, is unpacked anew, and what was unpacked before from that path is removed. The folder
 * appears with all its files at once (rename), so processes may do this at the same time; the first one wins.
 *
 * The archive is not trusted: only regular files and folders with plain relative names are taken, and the limits below hold.
 */
#pragma once

#include "base/diag.h"

#define UNZIP_MAX_BYTES (INT64_C(4) << 30) /* unpacked, all files together */
enum {
    UNZIP_MAX_ENTRIES = 4096,
    UNZIP_MAX_NAME = 1024,
    UNZIP_STALE_S = 3600, /* what a dead process left behind is removed after this time */
};

/* The archive's files, into a folder that is there and empty. On failure, a diagnostic; what is in the folder then is of no use.
 */
bool unzip_into(const char *zip, const char *folder, struct diags *diags);

/* The folder and all that is in it. */
void unzip_remove(const char *folder);

/* The folder with the archive's files. On failure a diagnostic names the zip, and nothing of it is left behind. */
bool unzip_once(struct arena *a, const char *zip, const char *cache_folder, struct diags *diags, struct str *ret_folder);
