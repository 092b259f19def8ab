/*
 * A growing byte buffer with a bound.
 *
 * Every buffer is created with the most bytes it may ever hold. An append past that (or past memory) changes nothing and sets
 * `failed`, which stays set: write many pieces, check once with buf_ok().
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

struct buf {
    char *p; /* NULL while empty */
    size_t n;
    size_t cap;
    size_t max;
    bool failed;
};

#define BUF_INIT(max_bytes) ((struct buf){.max = (max_bytes)})

void buf_free(struct buf *b);
/* As buf_free, and overwrites the bytes first: for secrets. Growing may leave a copy behind, so make room for all at once. */
void buf_wipe(struct buf *b);
/* Empties it and keeps the memory; `failed` is cleared. */
void buf_clear(struct buf *b);

void buf_add(struct buf *b, struct str s);
void buf_addz(struct buf *b, const char *z);
void buf_addc(struct buf *b, char c);
void buf_add_utf8(struct buf *b, uint32_t c); /* a valid code point */
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for n more bytes at the end, to be filled by the caller and then counted with buf_grew(); NULL if past the bound. */
char *buf_room(struct buf *b, size_t n);
static inline void buf_grew(struct buf *b, size_t n)
{
    b->n += n;
}

/* Drops the first n bytes. */
void buf_consume(struct buf *b, size_t n);

static inline bool buf_ok(const struct buf *b)
{
    return !b->failed;
}

/* What it holds, valid until the next change. */
static inline struct str buf_str(const struct buf *b)
{
    return (struct str){b->p ? b->p : "", b->n};
}

/* A copy in the arena, NUL behind it. */
struct str buf_copy(const struct buf *b, struct arena *a);

#define BUF_AUTO __attribute__((cleanup(buf_free)))
