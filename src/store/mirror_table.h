/*
 * What a mirror remembers of objects: for each key a text, that there is none, or that there was one (a grave), with the version
 * of which that is known. Something newer is never replaced by something older. Who uses it locks it.
 */
#pragma once

#include "base/str.h"

#include <stdint.h>

enum keeping { KEPT_HERE, KEPT_ABSENT, KEPT_GRAVE };

struct kept {
    struct kept *next;
    enum keeping how;
    unsigned round;   /* the list that has shown it last */
    uint64_t version; /* 0: not a number */
    char *key, *text; /* text: NULL unless KEPT_HERE */
    size_t n_key, n_text;
};

struct mirror_table {
    struct kept **buckets;
    size_t n_buckets, n, bytes, n_graves;
    uint64_t seed;
    unsigned round; /* of the list that is being read, or was read last: what is put is of this one */
};

void mirror_table_init(struct mirror_table *t, uint64_t seed);
void mirror_table_free(struct mirror_table *t);
/* NULL: nothing is known. */
const struct kept *mirror_table_find(const struct mirror_table *t, struct str key);
/* The entry as it is to be from now on, unless something newer is known. */
void mirror_table_put(struct mirror_table *t, struct str key, enum keeping how, uint64_t version, struct str text);
void mirror_table_forget(struct mirror_table *t, struct str key);
void mirror_table_each(const struct mirror_table *t, void (*each)(void *ctx, const struct kept *k), void *ctx);
/* Forgets all of which `is_due` says so. */
void mirror_table_sweep(struct mirror_table *t, bool (*is_due)(const void *ctx, const struct kept *k), const void *ctx);
