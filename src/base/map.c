#include "base/map.h"

#include <assert.h>
#include <stdlib.h>

enum { SMALLEST = 8 };

void map_init(struct map *m, struct arena *a)
{
    *m = (struct map){.arena = a, .seed = arena_seed(a)};
}

/* The slot that holds the key, or the free one where it belongs. */
static uint32_t *find_slot(const struct map *m, struct str key, uint64_t hash)
{
    size_t mask = m->n_slots - 1;
    for (size_t i = hash & mask;; i = (i + 1) & mask) {
        uint32_t *slot = &m->slots[i];
        if (*slot == 0)
            return slot;
        const struct map_entry *e = &m->entries[*slot - 1];
        if (e->hash == hash && str_eq(e->key, key))
            return slot;
    }
}

static void rehash(struct map *m)
{
    memset(m->slots, 0, m->n_slots * sizeof *m->slots);
    for (size_t i = 0; i < m->n; i++)
        *find_slot(m, m->entries[i].key, m->entries[i].hash) = (uint32_t)(i + 1);
}

/* Keeps the table at most half full, so probing ends soon and there is always a free slot. */
static void grow(struct map *m)
{
    size_t cap = m->cap > 0 ? m->cap * 2 : SMALLEST;
    assert(cap < UINT32_MAX / 2);
    struct map_entry *entries = arena_make_n(m->arena, struct map_entry, cap);
    if (m->n > 0)
        memcpy(entries, m->entries, m->n * sizeof *entries);
    m->entries = entries;
    m->cap = cap;
    m->n_slots = cap * 2;
    m->slots = arena_make_n(m->arena, uint32_t, m->n_slots);
    rehash(m);
}

void *map_get(const struct map *m, struct str key)
{
    if (m->n == 0)
        return NULL;
    uint32_t slot = *find_slot(m, key, str_hash(key, m->seed));
    return slot ? m->entries[slot - 1].value : NULL;
}

/* The entry of the key, new or old; *ret_new says which. */
static struct map_entry *upsert(struct map *m, struct str key, bool *ret_new)
{
    if (m->n == m->cap)
        grow(m);
    uint64_t hash = str_hash(key, m->seed);
    uint32_t *slot = find_slot(m, key, hash);
    *ret_new = *slot == 0;
    if (*slot == 0) {
        m->entries[m->n] = (struct map_entry){.key = key, .hash = hash};
        *slot = (uint32_t)++m->n;
    }
    return &m->entries[*slot - 1];
}

void map_put(struct map *m, struct str key, void *value)
{
    bool is_new;
    upsert(m, key, &is_new)->value = value;
}

bool map_add(struct map *m, struct str key, void *value)
{
    bool is_new;
    struct map_entry *e = upsert(m, key, &is_new);
    if (is_new)
        e->value = value;
    return is_new;
}

struct str map_closest(const struct map *m, struct str typed)
{
    struct str best = STR_EMPTY;
    size_t least = typed.n / 3 + 1;
    for (size_t i = 0; i < m->n; i++) {
        size_t distance = str_distance(m->entries[i].key, typed);
        if (distance < least) {
            least = distance;
            best = m->entries[i].key;
        }
    }
    return best;
}

static int by_key(const void *a, const void *b)
{
    return str_cmp(((const struct map_entry *)a)->key, ((const struct map_entry *)b)->key);
}

void map_sort(struct map *m)
{
    if (m->n < 2)
        return;
    qsort(m->entries, m->n, sizeof *m->entries, by_key);
    rehash(m);
}
