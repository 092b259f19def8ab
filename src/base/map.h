/*
 * Maps from text to pointers, in an arena. Iteration is in order of insertion, or by key after map_sort().
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

/* Adds; false and no change when the key is there already. */
bool map_add(struct map *m, struct str key, void *value);

/* The key that was probably meant: one that a typing error or two away; empty when none is. */
struct str map_closest(const struct map *m, struct str typed);

/* From now on iteration is by key, bytewise, until the next insertion. */
void map_sort(struct map *m);
