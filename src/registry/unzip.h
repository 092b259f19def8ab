/*
 * Unpacks packed providers: a zip archive is unpacked once into the cache folder, and reused from there.
 *
 *     <cache>/providers/<key of the zip's path>/<stamp of its device, inode, size, mtime>/...
 *
 * A changed zip has another stamp: it is unpacked again, and what was unpacked from that path before is removed. The folder
 * appears with all its files at once (rename), so several processes may unpack at the same time; the first one wins.
 *
 * The archive is not trusted: only regular files and folders with plain relative names are accepted, within the limits below.
 */
#pragma once

#include "base/diag.h"

#define UNZIP_MAX_BYTES (INT64_C(4) << 30) /* unpacked, all files together */
enum {
    UNZIP_MAX_ENTRIES = 4096,
    UNZIP_MAX_NAME = 1024,
    UNZIP_STALE_S = 3600, /* temporary folders of processes that died are removed after this time */
};

/*
 * Unpacks the archive into an existing, empty folder. On failure, a diagnostic; the contents of the folder are then not usable.
 */
bool unzip_into(const char *zip, const char *folder, struct diags *diags);

/* Removes the folder with its contents. */
void unzip_remove(const char *folder);

/* Returns the folder with the archive's files. On failure a diagnostic names the zip, and nothing is left behind. */
bool unzip_once(struct arena *a, const char *zip, const char *cache_folder, struct diags *diags, struct str *ret_folder);
