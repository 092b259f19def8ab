/*
 * The hashes of a package in .terraform.lock.hcl:
 *
 *     zh:HEX      the SHA-256 of the zip archive
 *     h1:BASE64   of the files of the package, packed or not: the SHA-256 of a list of all files with the SHA-256 of each
 */
#pragma once

#include "base/diag.h"

enum { PACKAGE_MAX_DEPTH = 32, PACKAGE_MAX_FILES = 65536 };

/* All files below the folder, as sorted relative paths. Symbolic links are followed. */
bool package_files(struct arena *a, const char *folder, struct diags *diags, const struct str **ret, size_t *ret_n);

/* "h1:..." of the files below the folder. */
bool package_hash_folder(struct arena *a, const char *folder, struct diags *diags, struct str *ret);

/* "zh:..." of the file. */
bool package_hash_zip(struct arena *a, const char *zip, struct diags *diags, struct str *ret);
