/*
 * Manifests: objects in YAML or JSON files, which may contain several objects and lists of them. This only parses; the caller
 * checks whether a kind is served and a field exists.
 */
#pragma once

#include "store/store.h"

enum {
    MANIFEST_MAX_FILE = 10 << 20,   /* bytes */
    MANIFEST_MAX_DOCUMENTS = 10000, /* in a file, including items of lists */
    MANIFEST_MAX_LIST_DEPTH = 4,    /* lists inside lists are odd, but kubectl accepts them */
};

struct manifest {
    const char *source;    /* the file, for messages */
    uint32_t line, column; /* where the object begins */
    const struct json *object;
    struct store_key key; /* as written: the namespace may be missing although the kind is namespaced */
};

struct manifests {
    struct manifest *v;
    size_t n, cap;
};

/*
 * Appends the objects of a text to `list`; `source` is kept and must live as long. On errors returns false and diagnostics with
 * SOURCE:LINE:COLUMN; the valid objects are appended nevertheless.
 */
bool manifests_parse(struct arena *a, struct str text, const char *source, struct diags *diags, struct manifests *list);

/* The same for a file, or for standard input ("-"). */
bool manifests_read(struct arena *a, const char *path, struct diags *diags, struct manifests *list);

/* "web.yaml:12:1", in `a`. */
struct str manifest_place(struct arena *a, const struct manifest *m);
