/*
 * Maps from strings to pointers, in an arena. Iteration is in insertion order, or by key after map_sort().
 *
 *     for (size_t i = 0; i < map->n; i++) use(map->entries[i].key, map->entries[i].value);
 */
#pragma once

#include "base/arena.h"

struct map_entry {
    struct str key;
    void *value;
    uint64_t hash;
};

struct map {
    struct arena *arena;
    struct map_entry *entries;
    size_t n, cap;
    uint32_t *slots; /* index + 1 into entries, 0 = free; open addressing; n_slots is a power of two */
    size_t n_slots;
    uint64_t seed;
};

void map_init(struct map *m, struct arena *a);

/* NULL when absent. */
void *map_get(const struct map *m, struct str key);

/* Adds or replaces (a replaced entry keeps its place). The key's bytes must live as long as the arena. */
void map_put(struct map *m, struct str key, void *value);

/* Adds an entry; false, and no change, when the key exists already. */
bool map_add(struct map *m, struct str key, void *value);

/* The key that the user probably meant: one that differs from `typed` by one or two typing errors; empty when there is none. */
struct str map_closest(const struct map *m, struct str typed);

/* Sorts the entries by key, bytewise; the order holds until the next insertion. */
void map_sort(struct map *m);
