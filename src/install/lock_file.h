/*
 * .terraform.lock.hcl: the chosen version of each provider, and the hashes of its packages. It is written byte for byte as by
 * Terraform: providers and hashes sorted, the comment at the top unchanged.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"

enum { LOCK_FILE_MAX_BYTES = 4 << 20 };

struct lock_entry {
    struct str address; /* HOST/NAMESPACE/TYPE */
    struct str version;
    struct str constraints;   /* empty: none */
    const struct str *hashes; /* sorted, without duplicates */
    size_t n_hashes;
};

struct lock_file {
    struct str comment; /* the lines before the first block, with their line feeds */
    struct lock_entry *v;
    size_t n, cap;
    bool changed; /* by lock_file_put */
};

/* A file that does not exist has no entries. Unknown content is an error, because it would be lost when writing. */
bool lock_file_read(struct arena *a, const char *path, struct diags *diags, struct lock_file *ret);
bool lock_file_parse(struct arena *a, struct str text, const char *source, struct diags *diags, struct lock_file *ret);

/* NULL: the provider is not locked. */
const struct lock_entry *lock_file_find(const struct lock_file *file, struct str address);
/* Adds the entry, or replaces the one with the same address; sorts the hashes. */
void lock_file_put(struct arena *a, struct lock_file *file, const struct lock_entry *entry);

void lock_file_text(struct buf *out, struct arena *a, const struct lock_file *file);
/* A file to which nothing was added stays as it is, byte for byte. */
bool lock_file_write(struct arena *a, const char *path, const struct lock_file *file, struct diags *diags);
