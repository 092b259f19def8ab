/* Folders, files and archives for the tests of this folder. Any failure fails the test. */
#pragma once

#include "base/arena.h"
#include "base/diag.h"

#include <sys/types.h>

/* A new, empty folder, removed with the arena. */
const char *test_folder(struct arena *a);

/* FOLDER/printf, as a C string in the arena. */
const char *test_path(struct arena *a, const char *folder, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes a file, and makes its folders. */
void test_write(const char *path, struct str content, mode_t mode);

/* Makes a script in place of a binary: MIRROR/ADDRESS/VERSION/PLATFORM/terraform-provider-TYPE_vVERSION. Returns its path. */
const char *test_provider(struct arena *a, const char *mirror, const char *address, const char *version, const char *platform);

struct test_entry {
    const char *name;
    struct str content;
    mode_t mode;         /* with the type; 0: a regular file, 0755 */
    const char *symlink; /* or NULL */
};
/* A zip with these entries and its folders. */
void test_zip(const char *path, const struct test_entry *entries, size_t n);

/*
 * Since root can open every file, a process of root acts as nobody from here to test_as_self(). The folder must be accessible to
 * others.
 */
void test_as_nobody(void);
void test_as_self(void);

struct str test_read(struct arena *a, const char *path);

/* The number of files and folders below it; 0 if it does not exist. */
size_t test_count(const char *folder);

/*
 * Test cases in a file: "=== NAME", the input, "---", the expected result (blank lines around it are ignored). Text before the
 * first case is a comment.
 */
struct test_case {
    struct str name, input, expected;
};
bool test_next_case(struct str *rest, struct test_case *ret);

/* All diagnostics as one text: "error: SUMMARY: DETAIL", a line each. */
const char *test_text(struct arena *a, const struct diags *diags);
