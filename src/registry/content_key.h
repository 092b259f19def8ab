/*
 * The identity of a binary: the SHA-256 of its content, which keys everything that is remembered about it.
 *
 * A provider has up to 700 MB, so the answer is kept: <cache>/keys/<key of its path> holds the hash together with device,
 * inode, size, and the times of last modification and change. While all five are the same the file is not read. One small file
 * (0600) per path, replaced when the binary changes; damaged or unreadable ones are ignored.
 *
 * Uses nothing but its arguments: may run on any thread as long as arena and diags are that thread's.
 */
#pragma once

#include "base/diag.h"

enum { CONTENT_KEY_HEX = 64 };

/* CONTENT_KEY_HEX lower-case digits. A file that cannot be read, or is changed meanwhile, is an error; a cache folder that
 * cannot be written is none. */
bool content_key(struct arena *a, const char *file, const char *cache_folder, struct diags *diags, struct str *ret_hex);

/* From the memo alone; false when this file, as it is now, has not been hashed yet. */
bool content_key_remembered(struct arena *a, const char *file, const char *cache_folder, struct str *ret_hex);

/* Of all that can be read from here on, CONTENT_KEY_HEX digits; false: errno. */
bool content_hash(struct arena *a, int fd, struct str *ret_hex);

/* A short name (32 digits) that stands for a path, with links resolved, in the cache. */
struct str content_key_of_path(struct arena *a, const char *path);
