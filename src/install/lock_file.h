/*
 * .terraform.lock.hcl: which version of each provider was chosen, and by which hashes its packages are known. Read and written as
 * Terraform does, byte for byte: providers and hashes in order, the comment at the top as it was found.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

enum { LOCK_FILE_MAX_BYTES = 4 << 20 };

struct lock_entry {
    struct str address; /* HOST/NAMESPACE/TYPE */
    struct str version;
    struct str constraints;   /* empty: none */
    const struct str *hashes; /* in order, each once */
    size_t n_hashes;
};

struct lock_file {
    struct str comment; /* the lines before everything else, with their line feeds */
    struct lock_entry *v;
    size_t n, cap;
};

/* A file that is not there is one without entries. What is not understood is an error, for it would be lost when writing. */
bool lock_file_read(struct arena *a, const char *path, struct diags *diags, struct lock_file *ret);
bool lock_file_parse(struct arena *a, struct str text, const char *source, struct diags *diags, struct lock_file *ret);

/* NULL: the provider is not locked. */
const struct lock_entry *lock_file_find(const struct lock_file *file, struct str address);
/* Takes the place of the entry of the same address; hashes are brought in order. */
void lock_file_put(struct arena *a, struct lock_file *file, const struct lock_entry *entry);

void lock_file_text(struct buf *out, struct arena *a, const struct lock_file *file);
/* Not touched if it says the same already. */
bool lock_file_write(struct arena *a, const char *path, const struct lock_file *file, struct diags *diags);
