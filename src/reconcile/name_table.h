/*
 * A hash table of structures by name. Each structure begins with a `struct named` and has its name stored behind it. The queue
 * uses it for its items, which come and go all the time: finding, adding and removing take constant time, and removing frees the
 * structure.
 */
#pragma once

#include "base/str.h"

struct named {
    struct named *next;
    uint64_t hash;
    struct str key;
};

struct name_table {
    struct named **buckets;
    size_t n, n_buckets; /* a power of two */
    uint64_t seed;       /* of the hash: random, because users choose the keys */
};

/* NULL: not found. */
struct named *name_table_find(const struct name_table *t, struct str key);
/* Adds a new structure of `size` bytes: all zero except its name, which is copied. The name must not be in the table. */
void *name_table_add(struct name_table *t, struct str key, size_t size);
void name_table_remove(struct name_table *t, struct named *name);
/* Frees the table and everything in it. */
void name_table_free(struct name_table *t);
