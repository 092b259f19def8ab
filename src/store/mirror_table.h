/*
 * What a mirror knows of objects. For each key: its text, that it does not exist, or that it was deleted (a grave), with the
 * version at which this is known. Newer knowledge is never replaced by older. The caller locks the table.
 */
#pragma once

#include "base/str.h"

#include <stdint.h>

enum keeping { KEPT_HERE, KEPT_ABSENT, KEPT_GRAVE };

struct kept {
    struct kept *next;
    enum keeping how;
    unsigned round;   /* the last list that contained it */
    uint64_t version; /* 0: the version is not a number */
    char *key, *text; /* text: NULL unless KEPT_HERE */
    size_t n_key, n_text;
};

struct mirror_table {
    struct kept **buckets;
    size_t n_buckets, n, bytes, n_graves;
    uint64_t seed;
    unsigned round; /* of the current or last list; entries that are put get this round */
};

void mirror_table_init(struct mirror_table *t, uint64_t seed);
void mirror_table_free(struct mirror_table *t);
/* NULL: unknown. */
const struct kept *mirror_table_find(const struct mirror_table *t, struct str key);
/* Sets the entry, unless something newer is known. */
void mirror_table_put(struct mirror_table *t, struct str key, enum keeping how, uint64_t version, struct str text);
void mirror_table_forget(struct mirror_table *t, struct str key);
void mirror_table_each(const struct mirror_table *t, void (*each)(void *ctx, const struct kept *k), void *ctx);
/* Forgets all entries for which `is_due` returns true. */
void mirror_table_sweep(struct mirror_table *t, bool (*is_due)(const void *ctx, const struct kept *k), const void *ctx);
