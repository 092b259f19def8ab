/*
 * Each arena is a list of chunks; allocation bumps a pointer in the newest one. Chunks double from FIRST_CHUNK to LARGEST_CHUNK
 * so that small arenas are cheap and large ones waste little. An allocation larger than half of LARGEST_CHUNK gets a chunk of its
 * own, placed after the newest chunk so that the newest stays in use.
 */
#include "base/arena.h"

#include "base/ascii.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

enum { FIRST_CHUNK = 1 << 10, LARGEST_CHUNK = 256 << 10 };

struct chunk {
    struct chunk *next;
    size_t size; /* bytes in data */
    size_t used;
    alignas(max_align_t) unsigned char data[];
};

struct hook {
    struct hook *next;
    void (*run)(void *what);
    void *what;
};

struct arena {
    struct arena *parent;
    struct arena *first_child;
    struct arena *prev, *next; /* siblings */
    struct chunk *chunks;
    struct hook *hooks;
    size_t next_chunk;
    size_t used; /* bytes of all chunks, children included */
    size_t limit;
    uint64_t seed; /* set in a root arena only; 0: not requested yet */
};

static void *must_malloc(size_t n)
{
    void *p = malloc(n);
    if (!p) {
        (void)fputs("terrane: out of memory\n", stderr);
        abort();
    }
    return p;
}

static uint64_t random_seed(void)
{
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = (uint64_t)(uintptr_t)&random_seed; /* early boot: no random numbers yet, so use the address space layout */
    return seed | 1;
}

struct arena *arena_new(struct arena *parent, size_t limit)
{
    struct arena *a = must_malloc(sizeof *a);
    *a = (struct arena){.parent = parent, .limit = limit, .next_chunk = FIRST_CHUNK};
    if (parent) {
        a->next = parent->first_child;
        if (a->next)
            a->next->prev = a;
        parent->first_child = a;
    }
    return a;
}

static void account(struct arena *a, size_t n)
{
    for (; a; a = a->parent)
        a->used += n;
}

static void discount(struct arena *a, size_t n)
{
    for (; a; a = a->parent)
        a->used -= n;
}

static void free_first_child(struct arena *a)
{
    struct arena *child = a->first_child;
    a->first_child = child->next;
    if (child->next)
        child->next->prev = NULL;
    arena_reset(child);
    free(child);
}

void arena_reset(struct arena *a)
{
    /* Hooks are stored in the chunks, so they run before the memory is freed; a hook may register another one or create a
     * child. */
    while (a->first_child || a->hooks) {
        if (a->first_child) {
            free_first_child(a);
            continue;
        }
        struct hook *hook = a->hooks;
        a->hooks = hook->next;
        hook->run(hook->what);
    }
    while (a->chunks) {
        struct chunk *chunk = a->chunks;
        a->chunks = chunk->next;
        discount(a, chunk->size);
        free(chunk);
    }
    a->next_chunk = FIRST_CHUNK;
}

void arena_free(struct arena *a)
{
    if (!a)
        return;
    if (a->prev)
        a->prev->next = a->next;
    else if (a->parent)
        a->parent->first_child = a->next;
    if (a->next)
        a->next->prev = a->prev;
    arena_reset(a);
    free(a);
}

static struct chunk *add_chunk(struct arena *a, size_t need)
{
    bool alone = need > LARGEST_CHUNK / 2;
    size_t size = alone ? need : a->next_chunk;
    while (size < need)
        size *= 2;
    struct chunk *chunk = must_malloc(sizeof *chunk + size);
    *chunk = (struct chunk){.size = size};
    account(a, size);
    if (alone && a->chunks) {
        chunk->next = a->chunks->next;
        a->chunks->next = chunk;
    } else {
        chunk->next = a->chunks;
        a->chunks = chunk;
    }
    if (!alone && a->next_chunk < LARGEST_CHUNK)
        a->next_chunk = size * 2 < LARGEST_CHUNK ? size * 2 : LARGEST_CHUNK;
    return chunk;
}

static void *arena_alloc_raw(struct arena *a, size_t size, size_t align)
{
    assert(align > 0 && (align & (align - 1)) == 0 && align <= alignof(max_align_t));
    if (size > SIZE_MAX / 2) {
        (void)fputs("terrane: out of memory\n", stderr);
        abort();
    }
    struct chunk *chunk = a->chunks;
    size_t start = chunk ? (chunk->used + align - 1) & ~(align - 1) : 0;
    if (!chunk || start > chunk->size || chunk->size - start < size) {
        chunk = add_chunk(a, size > 0 ? size : 1);
        start = 0;
    }
    chunk->used = start + size;
    return chunk->data + start;
}

void *arena_alloc(struct arena *a, size_t size, size_t align)
{
    return memset(arena_alloc_raw(a, size, align), 0, size);
}

void *arena_alloc_n(struct arena *a, size_t size, size_t n, size_t align)
{
    size_t bytes;
    if (__builtin_mul_overflow(size, n, &bytes))
        bytes = SIZE_MAX; /* refused below */
    return arena_alloc(a, bytes, align);
}

struct str arena_str(struct arena *a, struct str s)
{
    char *copy = arena_alloc_raw(a, s.n + 1, 1);
    if (s.n > 0)
        memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return (struct str){copy, s.n};
}

struct str arena_lower(struct arena *a, struct str s)
{
    char *copy = arena_alloc_raw(a, s.n + 1, 1);
    for (size_t i = 0; i < s.n; i++)
        copy[i] = to_lower(s.p[i]);
    copy[s.n] = '\0';
    return (struct str){copy, s.n};
}

struct str arena_vprintf(struct arena *a, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    assert(n >= 0);
    char *text = arena_alloc_raw(a, (size_t)n + 1, 1);
    (void)vsnprintf(text, (size_t)n + 1, format, args);
    return (struct str){text, (size_t)n};
}

struct str arena_printf(struct arena *a, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    struct str text = arena_vprintf(a, format, args);
    va_end(args);
    return text;
}

void arena_on_free(struct arena *a, void (*hook)(void *what), void *what)
{
    struct hook *h = arena_make(a, struct hook);
    *h = (struct hook){.next = a->hooks, .run = hook, .what = what};
    a->hooks = h;
}

size_t arena_used(const struct arena *a)
{
    return a->used;
}

bool arena_exhausted(const struct arena *a)
{
    for (; a; a = a->parent)
        if (a->limit > 0 && a->used > a->limit)
            return true;
    return false;
}

uint64_t arena_seed(struct arena *a)
{
    while (a->parent)
        a = a->parent;
    if (a->seed == 0)
        a->seed = random_seed();
    return a->seed;
}
