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

char *buf_room(struct buf *b, size_t n)
{
    if (b->failed || n > b->max - b->n) {
        b->failed = true;
        return NULL;
    }
    if (b->n + n > b->cap) {
        size_t cap = b->cap > 0 ? b->cap : SMALLEST;
        while (cap < b->n + n)
            cap *= 2;
        if (cap > b->max)
            cap = b->max;
        char *p = realloc(b->p, cap);
        if (!p) {
            b->failed = true;
            return NULL;
        }
        b->p = p;
        b->cap = cap;
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

void buf_printf(struct buf *b, const char *format, ...)
{
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    /* vsnprintf ends with a NUL, which is written into the room but not counted. */
    char *room = n >= 0 ? buf_room(b, (size_t)n + 1) : NULL;
    if (room) {
        (void)vsnprintf(room, (size_t)n + 1, format, again);
        b->n += (size_t)n;
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
