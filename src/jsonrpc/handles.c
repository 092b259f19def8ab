#include "jsonrpc/handles.h"

#include "base/lock.h"
#include "base/must.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

void rpc_handles_init(struct rpc_handle_table *t, const char *prefix, void (*free)(struct rpc_handle *h))
{
    *t = (struct rpc_handle_table){.prefix = prefix, .free = free};
    mutex_init(&t->lock);
}

void rpc_handles_done(struct rpc_handle_table *t)
{
    mutex_destroy(&t->lock);
}

static struct rpc_handle **bucket_of(struct rpc_handle_table *t, uint64_t number)
{
    return &t->buckets[number % HANDLE_BUCKETS];
}

bool rpc_handles_reserve(struct rpc_handle_table *t)
{
    mutex_lock(&t->lock);
    bool room = t->n < HANDLES_MAX;
    t->n += room;
    mutex_unlock(&t->lock);
    return room;
}

void rpc_handles_unreserve(struct rpc_handle_table *t)
{
    mutex_lock(&t->lock);
    assert(t->n > 0);
    t->n--;
    mutex_unlock(&t->lock);
}

struct str rpc_handles_add(struct rpc_handle_table *t, struct rpc_handle *h, struct arena *a)
{
    mutex_lock(&t->lock);
    uint64_t number = h->number = ++t->last;
    h->users = 1;
    struct rpc_handle **bucket = bucket_of(t, h->number);
    h->next = *bucket;
    *bucket = h;
    mutex_unlock(&t->lock);
    return arena_printf(a, "%s%" PRIu64, t->prefix, number);
}

/* The number in the name; 0: not a name of this table. Leading zeros and the like are not accepted: each handle has one name. */
static uint64_t number_of(const struct rpc_handle_table *t, struct str name)
{
    int64_t number;
    struct str prefix = str_of(t->prefix), digits = str_slice(name, prefix.n, name.n);
    if (!str_starts(name, prefix) || digits.n == 0 || digits.p[0] < '1' || !str_to_i64(digits, &number))
        return 0;
    return (uint64_t)number;
}

/* The pointer to the handle in its bucket's list; it points to NULL if there is none. */
static struct rpc_handle **find(struct rpc_handle_table *t, uint64_t number)
{
    struct rpc_handle **at = bucket_of(t, number);
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    return at;
}

struct rpc_handle *rpc_handles_get(struct rpc_handle_table *t, struct str name)
{
    uint64_t number = number_of(t, name);
    mutex_lock(&t->lock);
    struct rpc_handle *h = *find(t, number);
    if (h)
        h->users++;
    mutex_unlock(&t->lock);
    return h;
}

static struct rpc_handle *remove_at(struct rpc_handle_table *t, struct rpc_handle **at)
{
    struct rpc_handle *h = *at;
    if (h) {
        *at = h->next;
        t->n--;
    }
    return h;
}

struct rpc_handle *rpc_handles_take(struct rpc_handle_table *t, struct str name)
{
    uint64_t number = number_of(t, name);
    mutex_lock(&t->lock);
    struct rpc_handle *h = remove_at(t, find(t, number));
    mutex_unlock(&t->lock);
    return h;
}

struct rpc_handle *rpc_handles_take_any(struct rpc_handle_table *t, bool (*fits)(const struct rpc_handle *h, const void *what),
                                        const void *what)
{
    struct rpc_handle *h = NULL;
    mutex_lock(&t->lock);
    for (size_t i = 0; i < HANDLE_BUCKETS && !h; i++) {
        struct rpc_handle **at = &t->buckets[i];
        while (*at && !fits(*at, what))
            at = &(*at)->next;
        h = remove_at(t, at);
    }
    mutex_unlock(&t->lock);
    return h;
}

void rpc_handle_use(struct rpc_handle_table *t, struct rpc_handle *h)
{
    mutex_lock(&t->lock);
    h->users++;
    mutex_unlock(&t->lock);
}

void rpc_handle_release(struct rpc_handle_table *t, struct rpc_handle *h)
{
    mutex_lock(&t->lock);
    assert(h->users > 0);
    bool last = --h->users == 0;
    mutex_unlock(&t->lock);
    if (last)
        t->free(h);
}

/* Plans */

enum { PIECE_WORDS = 64, PIECE_BITS = PIECE_WORDS * 64 };

void rpc_plan_bits_init(struct rpc_plan_bits *b)
{
    *b = (struct rpc_plan_bits){0};
    mutex_init(&b->lock);
}

void rpc_plan_bits_done(struct rpc_plan_bits *b)
{
    for (size_t i = 0; i < b->n_pieces; i++)
        free(b->pieces[i]);
    free(b->pieces);
    mutex_destroy(&b->lock);
}

uint64_t rpc_plan_bits_new(struct rpc_plan_bits *b)
{
    mutex_lock(&b->lock);
    uint64_t number = ++b->last;
    mutex_unlock(&b->lock);
    return number;
}

/* The word with the plan's bit; allocates the piece if need be. */
static uint64_t *word_of(struct rpc_plan_bits *b, uint64_t number)
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

bool rpc_plan_bits_take(struct rpc_plan_bits *b, uint64_t number, struct rpc_plan_hold *ret)
{
    bool taken = false;
    mutex_lock(&b->lock);
    if (number > 0 && number <= b->last) {
        uint64_t *word = word_of(b, number), bit = UINT64_C(1) << (number % 64);
        taken = !(*word & bit);
        *word |= bit;
    }
    mutex_unlock(&b->lock);
    if (taken)
        *ret = (struct rpc_plan_hold){b, number};
    return taken;
}

void rpc_plan_give_back(struct rpc_plan_hold *hold)
{
    struct rpc_plan_bits *b = hold->bits;
    if (!b)
        return;
    hold->bits = NULL;
    mutex_lock(&b->lock);
    *word_of(b, hold->number) &= ~(UINT64_C(1) << (hold->number % 64));
    mutex_unlock(&b->lock);
}
