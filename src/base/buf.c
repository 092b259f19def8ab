#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALLEST = 256 };

void buf_free(struct buf *b)
{
    free(b->p);
    *b = BUF_INIT(b->max);
}

void buf_wipe(struct buf *b)
{
    if (b->p)
        explicit_bzero(b->p, b->cap);
    buf_free(b);
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    b->failed = false;
}

/* Grows the memory to at least `need` bytes: doubles it, but to no more than `max` unless `need` is larger. */
static bool grow(struct buf *b, size_t need)
{
    size_t cap = b->cap > SMALLEST / 2 ? b->cap : SMALLEST / 2;
    cap = cap <= SIZE_MAX / 2 ? cap * 2 : SIZE_MAX;
    if (cap > b->max)
        cap = b->max;
    if (cap < need)
        cap = need;
    char *p = cap <= PTRDIFF_MAX ? realloc(b->p, cap) : NULL;
    if (!p)
        return false;
    b->p = p;
    b->cap = cap;
    return true;
}

char *buf_room(struct buf *b, size_t n)
{
    bool fits = !b->failed && n <= b->max - b->n;
    /* Even for zero bytes there must be memory, since NULL means failure. */
    bool has_room = fits && ((b->p && n <= b->cap - b->n) || grow(b, b->n + n > 0 ? b->n + n : 1));
    if (!has_room) {
        b->failed = true;
        return NULL;
    }
    return b->p + b->n;
}

void buf_add(struct buf *b, struct str s)
{
    if (s.n == 0)
        return;
    char *room = buf_room(b, s.n);
    if (!room)
        return;
    memcpy(room, s.p, s.n);
    b->n += s.n;
}

void buf_addz(struct buf *b, const char *z)
{
    buf_add(b, str_of(z));
}

void buf_addc(struct buf *b, char c)
{
    if (!b->failed && b->n < b->cap) {
        b->p[b->n++] = c;
        return;
    }
    buf_add(b, (struct str){&c, 1});
}

void buf_add_utf8(struct buf *b, uint32_t c)
{
    char bytes[STR_UTF8_MAX];
    buf_add(b, (struct str){bytes, str_put_utf8(bytes, c)});
}

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *room = n >= 0 ? buf_room(b, (size_t)n) : NULL;
    /* vsnprintf() writes a final NUL, which needs memory but does not count: the text may fill the buffer to its maximum. */
    if (room && (b->n + (size_t)n < b->cap || grow(b, b->n + (size_t)n + 1))) {
        (void)vsnprintf(b->p + b->n, (size_t)n + 1, format, again);
        b->n += (size_t)n;
    } else {
        b->failed = true;
    }
    va_end(again);
}

void buf_consume(struct buf *b, size_t n)
{
    if (n >= b->n) {
        b->n = 0;
        return;
    }
    memmove(b->p, b->p + n, b->n - n);
    b->n -= n;
}

struct str buf_copy(const struct buf *b, struct arena *a)
{
    return arena_str(a, buf_str(b));
}
