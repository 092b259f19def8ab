#include "reconcile/name_table.h"

#include "base/must.h"

#include <stdlib.h>

enum { FEWEST_BUCKETS = 64 };

struct named *name_table_find(const struct name_table *t, struct str key)
{
    uint64_t hash = str_hash(key, t->seed);
    struct named *name = t->n_buckets > 0 ? t->buckets[hash & (t->n_buckets - 1)] : NULL;
    while (name && (name->hash != hash || !str_eq(name->key, key)))
        name = name->next;
    return name;
}

static void link_name(struct name_table *t, struct named *name)
{
    struct named **bucket = &t->buckets[name->hash & (t->n_buckets - 1)];
    name->next = *bucket;
    *bucket = name;
}

static void grow(struct name_table *t)
{
    struct name_table bigger = {.n = t->n, .n_buckets = t->n_buckets > 0 ? 2 * t->n_buckets : FEWEST_BUCKETS, .seed = t->seed};
    bigger.buckets = must(calloc(bigger.n_buckets, sizeof(struct named *)));
    for (size_t i = 0; i < t->n_buckets; i++)
        for (struct named *name = t->buckets[i], *next; name; name = next) {
            next = name->next;
            link_name(&bigger, name);
        }
    free(t->buckets);
    *t = bigger;
}

void *name_table_add(struct name_table *t, struct str key, size_t size)
{
    if (t->n >= t->n_buckets)
        grow(t);
    struct named *name = must(calloc(1, size + key.n + 1));
    char *copy = (char *)name + size;
    if (key.n > 0)
        memcpy(copy, key.p, key.n);
    name->key = (struct str){copy, key.n};
    name->hash = str_hash(key, t->seed);
    link_name(t, name);
    t->n++;
    return name;
}

void name_table_remove(struct name_table *t, struct named *name)
{
    struct named **at = &t->buckets[name->hash & (t->n_buckets - 1)];
    while (*at != name)
        at = &(*at)->next;
    *at = name->next;
    t->n--;
    free(name);
}

void name_table_free(struct name_table *t)
{
    for (size_t i = 0; i < t->n_buckets; i++)
        for (struct named *name = t->buckets[i], *next; name; name = next) {
            next = name->next;
            free(name);
        }
    free(t->buckets);
    *t = (struct name_table){.seed = t->seed};
}
