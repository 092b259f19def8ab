#include "store/mirror_table.h"

#include "base/must.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BUCKETS = 1024 };

static struct kept **place_of(const struct mirror_table *t, struct str key)
{
    struct kept **at = &t->buckets[str_hash(key, t->seed) % t->n_buckets];
    while (*at && !str_eq((struct str){(*at)->key, (*at)->n_key}, key))
        at = &(*at)->next;
    return at;
}

static void grow(struct mirror_table *t)
{
    size_t n_old = t->n_buckets;
    struct kept **old = t->buckets;
    t->n_buckets *= 2;
    t->buckets = must(calloc(t->n_buckets, sizeof *t->buckets));
    for (size_t i = 0; i < n_old; i++)
        for (struct kept *k = old[i], *next; k; k = next) {
            next = k->next;
            struct kept **at = &t->buckets[str_hash((struct str){k->key, k->n_key}, t->seed) % t->n_buckets];
            k->next = *at;
            *at = k;
        }
    free(old);
}

static void drop_text(struct mirror_table *t, struct kept *k)
{
    if (k->text)
        explicit_bzero(k->text, k->n_text); /* it may be a Secret */
    free(k->text);
    t->bytes -= k->n_text;
    k->text = NULL;
    k->n_text = 0;
}

static void drop(struct mirror_table *t, struct kept **at)
{
    struct kept *k = *at;
    *at = k->next;
    drop_text(t, k);
    t->n_graves -= k->how == KEPT_GRAVE;
    t->n--;
    free(k->key);
    free(k);
}

static char *copy(struct str s)
{
    char *made = must(malloc(s.n + 1));
    memcpy(made, s.p, s.n);
    made[s.n] = '\0';
    return made;
}

void mirror_table_put(struct mirror_table *t, struct str key, enum keeping how, uint64_t version, struct str text)
{
    struct kept **at = place_of(t, key), *k = *at;
    if (k && k->version > version && version != 0) {
        k->round = t->round;
        return;
    }
    if (!k) {
        if (t->n >= t->n_buckets) {
            grow(t);
            at = place_of(t, key);
        }
        *at = k = must(calloc(1, sizeof *k));
        *k = (struct kept){.how = KEPT_HERE, .key = copy(key), .n_key = key.n};
        t->n++;
    }
    drop_text(t, k);
    if (k->how == KEPT_GRAVE)
        t->n_graves--;
    if (how == KEPT_GRAVE)
        t->n_graves++;
    k->how = how;
    k->round = t->round;
    k->version = version;
    if (how == KEPT_HERE) {
        k->text = copy(text);
        k->n_text = text.n;
        t->bytes += text.n;
    }
}

void mirror_table_forget(struct mirror_table *t, struct str key)
{
    struct kept **at = place_of(t, key);
    if (*at)
        drop(t, at);
}

void mirror_table_sweep(struct mirror_table *t, bool (*is_due)(const void *ctx, const struct kept *k), const void *ctx)
{
    for (size_t i = 0; i < t->n_buckets; i++)
        for (struct kept **at = &t->buckets[i]; *at;) {
            if (is_due(ctx, *at))
                drop(t, at);
            else
                at = &(*at)->next;
        }
}

void mirror_table_each(const struct mirror_table *t, void (*each)(void *ctx, const struct kept *k), void *ctx)
{
    for (size_t i = 0; i < t->n_buckets; i++)
        for (const struct kept *k = t->buckets[i]; k; k = k->next)
            each(ctx, k);
}

const struct kept *mirror_table_find(const struct mirror_table *t, struct str key)
{
    return *place_of(t, key);
}

void mirror_table_init(struct mirror_table *t, uint64_t seed)
{
    *t = (struct mirror_table){.n_buckets = FIRST_BUCKETS, .seed = seed};
    t->buckets = must(calloc(t->n_buckets, sizeof *t->buckets));
}

void mirror_table_free(struct mirror_table *t)
{
    for (size_t i = 0; i < t->n_buckets; i++)
        while (t->buckets[i])
            drop(t, &t->buckets[i]);
    free(t->buckets);
}
