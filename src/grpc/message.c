#include "grpc/message.h"

#include "base/must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* A message of at least MAPPED bytes gets its own mapping; ROOM is how much memory a message may use beyond twice the bytes
 * received. */
enum { MAPPED = 128 << 10, ROOM = 1 << 10 };

/* Makes the first n bytes of a mapping accessible. */
static void must_open(char *p, size_t n)
{
    if (n > 0 && mprotect(p, n, PROT_READ | PROT_WRITE) != 0)
        (void)must(NULL);
}

static struct message *message_new(void)
{
    return must(calloc(1, sizeof(struct message)));
}

static void free_bytes(struct message *m)
{
    if (m->reserved > 0)
        (void)munmap(m->p, m->reserved);
    else
        free(m->p);
}

void message_free(struct message *m)
{
    if (!m)
        return;
    free_bytes(m);
    free(m);
}

void message_free_all(struct message *m)
{
    while (m) {
        struct message *next = m->next;
        message_free(m);
        m = next;
    }
}

/* Reserves addresses for the whole message, without memory, and moves the received bytes there. */
static void reserve(struct message *m, size_t length)
{
    void *p = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        (void)must(NULL);
    must_open(p, m->n);
    if (m->n > 0)
        memcpy(p, m->p, m->n);
    free(m->p);
    m->p = p;
    m->reserved = length;
}

static void append(struct message *m, const char *bytes, size_t n, size_t length)
{
    if (m->n + n > m->cap) {
        size_t cap = 2 * (m->n + n) + ROOM;
        if (cap > length)
            cap = length;
        if (cap >= MAPPED) {
            if (m->reserved == 0)
                reserve(m, length);
            must_open(m->p, cap);
        } else {
            m->p = must(realloc(m->p, cap));
        }
        m->cap = cap;
    }
    memcpy(m->p + m->n, bytes, n);
    m->n += n;
}

static void unmap_hook(void *what)
{
    message_free(what);
}

struct str message_into(struct message *m, struct arena *a)
{
    if (m->reserved > 0) {
        arena_on_free(a, unmap_hook, m);
        return (struct str){m->p, m->n};
    }
    struct str copy = arena_str(a, (struct str){m->p, m->n});
    message_free(m);
    return copy;
}

void message_push(struct message_queue *q, struct message *m)
{
    m->next = NULL;
    if (q->tail)
        q->tail->next = m;
    else
        q->head = m;
    q->tail = m;
    q->weight += message_weight(m);
}

struct message *message_pop(struct message_queue *q)
{
    struct message *m = q->head;
    if (!m)
        return NULL;
    q->head = m->next;
    if (!q->head)
        q->tail = NULL;
    q->weight -= message_weight(m);
    m->next = NULL;
    return m;
}

void deframer_done(struct deframer *d)
{
    message_free(d->current);
    d->current = NULL;
    d->n_prefix = 0;
}

static enum deframe read_prefix(struct deframer *d)
{
    const unsigned char *p = d->prefix;
    if (p[0] != 0)
        return p[0] == 1 ? DEFRAME_COMPRESSED : DEFRAME_BAD_FLAG;
    d->length = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
    if (d->length > d->max_message)
        return DEFRAME_TOO_LONG;
    d->current = message_new();
    return DEFRAME_MORE;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

enum deframe deframer_feed(struct deframer *d, struct str *bytes, struct message **ret_message)
{
    if (d->n_prefix < MESSAGE_PREFIX) {
        size_t n = smaller(MESSAGE_PREFIX - d->n_prefix, bytes->n);
        memcpy(d->prefix + d->n_prefix, bytes->p, n);
        d->n_prefix += n;
        *bytes = str_slice(*bytes, n, bytes->n);
        if (d->n_prefix < MESSAGE_PREFIX)
            return DEFRAME_MORE;
        enum deframe result = read_prefix(d);
        if (result != DEFRAME_MORE)
            return result;
    }
    size_t n = smaller(d->length - d->current->n, bytes->n);
    if (n > 0)
        append(d->current, bytes->p, n, d->length);
    *bytes = str_slice(*bytes, n, bytes->n);
    if (d->current->n < d->length)
        return DEFRAME_MORE;
    *ret_message = d->current;
    d->current = NULL;
    d->n_prefix = 0;
    return DEFRAME_MESSAGE;
}

void message_prefix(size_t length, unsigned char prefix[MESSAGE_PREFIX])
{
    assert(length <= UINT32_MAX);
    prefix[0] = 0;
    for (int i = 0; i < 4; i++)
        prefix[1 + i] = (unsigned char)(length >> (24 - 8 * i));
}
