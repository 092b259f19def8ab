/*
 * A key that stands for a file's content: its SHA-256 in hex. A provider binary of 700 MB is not read again on every run:
 * once hashed, its device, inode, size, modification and change time stand for it (remembered in the cache folder, 0600).
 */
#pragma once

#include "base/diag.h"

/* From memory alone; false when this file, as it is now, has not been hashed yet (or cannot be looked at). */
bool content_key_remembered(struct arena *a, const char *file, const char *cache_folder, struct str *ret_hex);
/* Reads the file if it must, and remembers. May run on another thread while the binary is being started. */
bool content_key(struct arena *a, const char *file, const char *cache_folder, struct diags *diags, struct str *ret_hex);
