/* Folders, files and archives for the tests of this folder. Failures end the test. */
#pragma once

#include "base/arena.h"
#include "base/diag.h"

#include <sys/types.h>

/* A new, empty folder; gone with the arena. */
const char *test_folder(struct arena *a);

/* FOLDER/printf, as a C string in the arena. */
const char *test_path(struct arena *a, const char *folder, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The file with its folders. */
void test_write(const char *path, struct str content, mode_t mode);

/* A script that stands for a binary: MIRROR/ADDRESS/VERSION/PLATFORM/terraform-provider-TYPE_vVERSION. Its path. */
const char *test_provider(struct arena *a, const char *mirror, const char *address, const char *version, const char *platform);

struct test_entry {
    const char *name;
    struct str content;
    mode_t mode;         /* with the type; 0: a regular file, 0755 */
    const char *symlink; /* or NULL */
};
/* A zip with these entries and its folders. */
void test_zip(const char *path, const struct test_entry *entries, size_t n);

/* Root may open everything: from here to test_as_self, such a process acts as nobody. Needs a folder that others may enter. */
void test_as_nobody(void);
void test_as_self(void);

struct str test_read(struct arena *a, const char *path);

/* How many files and folders are below it; 0 when it does not exist. */
size_t test_count(const char *folder);

/*
 * Tables of cases in a file: "=== NAME", the input, "---", what is expected (blank lines around it do not count). Text before
 * the first case is a comment.
 */
struct test_case {
    struct str name, input, expected;
};
bool test_next_case(struct str *rest, struct test_case *ret);

/* All diagnostics as one text: "error: SUMMARY: DETAIL", a line each. */
const char *test_text(struct arena *a, const struct diags *diags);
