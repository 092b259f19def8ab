/*
 * The identity of a binary: the SHA-256 of its content, which is the key of everything that is cached about it.
 *
 * A provider has up to 700 MB, so the hash is cached: <cache>/keys/<key of its path> holds it together with device, inode, size,
 * and the times of last modification and change. While all five are the same, the binary is not read again. There is one small
 * file (0600) per path, replaced when the binary changes; damaged or unreadable ones are ignored.
 *
 * The functions use only their arguments: they may run on any thread that owns the arena and diags.
 */
#pragma once

#include "base/diag.h"

enum { CONTENT_KEY_HEX = 64 };

/*
 * CONTENT_KEY_HEX lower-case digits. It is an error if the file cannot be read or changes meanwhile, but not if the cache folder
 * cannot be written.
 */
bool content_key(struct arena *a, const char *file, const char *cache_folder, struct diags *diags, struct str *ret_hex);

/* From the cache alone; false if the file's current content has not been hashed yet. */
bool content_key_remembered(struct arena *a, const char *file, const char *cache_folder, struct str *ret_hex);

/* The SHA-256 of everything from the descriptor's position on, CONTENT_KEY_HEX digits; false: errno. */
bool content_hash(struct arena *a, int fd, struct str *ret_hex);

/* A name of 32 digits for a path (links resolved), used in the cache. */
struct str content_key_of_path(struct arena *a, const char *path);
