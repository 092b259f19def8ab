/*
 * A growing byte buffer with a maximum size.
 *
 * Every buffer is created with the maximum number of bytes it may ever hold. An append that exceeds the maximum, or for which
 * there is no memory, changes nothing and sets `failed`, which stays set. So a caller can append many pieces and check once with
 * buf_ok().
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
/* Like buf_free(), but overwrites the bytes first: for secrets. Growing a buffer may leave a copy behind in memory, so reserve
 * the whole size at once. */
void buf_wipe(struct buf *b);
/* Empties it and keeps the memory; `failed` is cleared. */
void buf_clear(struct buf *b);

void buf_add(struct buf *b, struct str s);
void buf_addz(struct buf *b, const char *z);
void buf_addc(struct buf *b, char c);
void buf_add_utf8(struct buf *b, uint32_t c); /* a valid code point */
void buf_printf(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Room for n more bytes at the end; the caller fills it and then calls buf_grew(). NULL if that would exceed the maximum. */
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

/* The content; the view is valid until the buffer changes. */
static inline struct str buf_str(const struct buf *b)
{
    return (struct str){b->p ? b->p : "", b->n};
}

/* A copy of the content in the arena, followed by a NUL. */
struct str buf_copy(const struct buf *b, struct arena *a);

#define BUF_AUTO __attribute__((cleanup(buf_free)))
