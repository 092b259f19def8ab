/*
 * Manifests: objects as people write them, in files of YAML or JSON, several in a file, and lists of them. Here is what a file
 * says; whether a kind is served and a field exists is for others.
 */
#pragma once

#include "store/store.h"

enum {
    MANIFEST_MAX_FILE = 10 << 20,   /* bytes */
    MANIFEST_MAX_DOCUMENTS = 10000, /* of a file, items of lists included */
    MANIFEST_MAX_LIST_DEPTH = 4,    /* a list of lists is odd, but kubectl takes it */
};

struct manifest {
    const char *source;    /* the file, for messages */
    uint32_t line, column; /* where the object begins */
    const struct json *object;
    struct store_key key; /* as written: its namespace may be empty where the kind has one */
};

struct manifests {
    struct manifest *v;
    size_t n, cap;
};

/*
 * The objects of a text are added to `list`; `source` is kept and must live as long. False and diagnostics with
 * SOURCE:LINE:COLUMN when something is wrong: the sound ones of the text are there nevertheless.
 */
bool manifests_parse(struct arena *a, struct str text, const char *source, struct diags *diags, struct manifests *list);

/* The same of a file, or of standard input ("-"). */
bool manifests_read(struct arena *a, const char *path, struct diags *diags, struct manifests *list);

/* "web.yaml:12:1", in `a`. */
struct str manifest_place(struct arena *a, const struct manifest *m);
