#include "jsonrpc/handles.h"

#include "base/must.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

void handles_init(struct handle_table *t, const char *prefix, void (*free)(struct handle *h))
{
    *t = (struct handle_table){.prefix = prefix, .free = free};
    (void)pthread_mutex_init(&t->lock, NULL);
}

void handles_done(struct handle_table *t)
{
    (void)pthread_mutex_destroy(&t->lock);
}

static struct handle **bucket_of(struct handle_table *t, uint64_t number)
{
    return &t->buckets[number % HANDLE_BUCKETS];
}

struct str handles_add(struct handle_table *t, struct handle *h, struct arena *a)
{
    (void)pthread_mutex_lock(&t->lock);
    uint64_t number = h->number = ++t->last;
    h->users = 1;
    struct handle **bucket = bucket_of(t, h->number);
    h->next = *bucket;
    *bucket = h;
    (void)pthread_mutex_unlock(&t->lock);
    return arena_printf(a, "%s%" PRIu64, t->prefix, number);
}

/* The name's number; 0: no name of this table. There is one way only to write it. */
static uint64_t number_of(const struct handle_table *t, struct str name)
{
    int64_t number;
    struct str prefix = str_of(t->prefix), digits = str_slice(name, prefix.n, name.n);
    if (!str_starts(name, prefix) || digits.n == 0 || digits.p[0] < '1' || !str_to_i64(digits, &number))
        return 0;
    return (uint64_t)number;
}

/* The place that leads to it, NULL in it if there is none. */
static struct handle **find(struct handle_table *t, uint64_t number)
{
    struct handle **at = bucket_of(t, number);
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

struct handle *handles_get(struct handle_table *t, struct str name)
{
    uint64_t number = number_of(t, name);
    (void)pthread_mutex_lock(&t->lock);
    struct handle *h = *find(t, number);
    if (h)
        h->users++;
    (void)pthread_mutex_unlock(&t->lock);
    return h;
}

static struct handle *remove_at(struct handle **at)
{
    struct handle *h = *at;
    if (h)
        *at = h->next;
    return h;
}

struct handle *handles_take(struct handle_table *t, struct str name)
{
    uint64_t number = number_of(t, name);
    (void)pthread_mutex_lock(&t->lock);
    struct handle *h = remove_at(find(t, number));
    (void)pthread_mutex_unlock(&t->lock);
    return h;
}

struct handle *handles_take_any(struct handle_table *t, bool (*fits)(const struct handle *h, const void *what), const void *what)
{
    struct handle *h = NULL;
    (void)pthread_mutex_lock(&t->lock);
    for (size_t i = 0; i < HANDLE_BUCKETS && !h; i++) {
        struct handle **at = &t->buckets[i];
        while (*at && !fits(*at, what))
            at = &(*at)->next;
        h = remove_at(at);
    }
    (void)pthread_mutex_unlock(&t->lock);
    return h;
}

void handle_use(struct handle_table *t, struct handle *h)
{
    (void)pthread_mutex_lock(&t->lock);
    h->users++;
    (void)pthread_mutex_unlock(&t->lock);
}

void handle_release(struct handle_table *t, struct handle *h)
{
    (void)pthread_mutex_lock(&t->lock);
    assert(h->users > 0);
    bool last = --h->users == 0;
    (void)pthread_mutex_unlock(&t->lock);
    if (last)
        t->free(h);
}

/* Plans */

enum { PIECE_WORDS = 64, PIECE_BITS = PIECE_WORDS * 64 };

void plan_bits_init(struct plan_bits *b)
{
    *b = (struct plan_bits){0};
    (void)pthread_mutex_init(&b->lock, NULL);
}

void plan_bits_done(struct plan_bits *b)
{
    for (size_t i = 0; i < b->n_pieces; i++)
        free(b->pieces[i]);
    free(b->pieces);
    (void)pthread_mutex_destroy(&b->lock);
}

uint64_t plan_bits_new(struct plan_bits *b)
{
    (void)pthread_mutex_lock(&b->lock);
    uint64_t number = ++b->last;
    (void)pthread_mutex_unlock(&b->lock);
    return number;
}

/* The word of the bit; the piece is made when it is not there. */
static uint64_t *word_of(struct plan_bits *b, uint64_t number)
{
    size_t piece = number / PIECE_BITS;
    if (piece >= b->n_pieces) {
        size_t n = piece + 1 > b->n_pieces * 2 ? piece + 1 : b->n_pieces * 2;
        b->pieces = must(realloc(b->pieces, n * sizeof *b->pieces));
        memset(b->pieces + b->n_pieces, 0, (n - b->n_pieces) * sizeof *b->pieces);
        b->n_pieces = n;
    }
    if (!b->pieces[piece])
        b->pieces[piece] = must(calloc(PIECE_WORDS, sizeof *b->pieces[piece]));
    return &b->pieces[piece][number % PIECE_BITS / 64];
}

bool plan_bits_take(struct plan_bits *b, uint64_t number)
{
    bool taken = false;
    (void)pthread_mutex_lock(&b->lock);
    if (number > 0 && number <= b->last) {
        uint64_t *word = word_of(b, number), bit = UINT64_C(1) << (number % 64);
        taken = !(*word & bit);
        *word |= bit;
    }
    (void)pthread_mutex_unlock(&b->lock);
    return taken;
}

void plan_bits_give_back(struct plan_bits *b, uint64_t number)
{
    (void)pthread_mutex_lock(&b->lock);
    *word_of(b, number) &= ~(UINT64_C(1) << (number % 64));
    (void)pthread_mutex_unlock(&b->lock);
}
