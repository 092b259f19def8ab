/*
 * Structures by their names: a hash table of what begins with a `struct named`, with its name behind it. The queue has an item
 * for each object that waits, which comes and goes all the time: so each is found, added and removed in constant time, and what
 * is removed is freed.
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
    uint64_t seed;       /* of the hash: keys are what users write */
};

/* NULL: there is none. */
struct named *name_table_find(const struct name_table *t, struct str key);
/* A new structure of `size` bytes, all zero but its name, which is copied. There must be none of this name. */
void *name_table_add(struct name_table *t, struct str key, size_t size);
void name_table_remove(struct name_table *t, struct named *name);
/* All that are in it. */
void name_table_free(struct name_table *t);
