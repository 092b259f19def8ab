/*
 * Arenas: memory that is freed together.
 *
 * One arena per RPC, per reconcile, per loaded schema. Nothing is freed singly. Arenas form a tree: freeing a parent frees
 * its children first; cleanup hooks close what is not memory, newest first.
 *
 * Running out. A limit is soft: an allocation past it still succeeds, but the arena (and so every ancestor whose own limit
 * is passed) is `exhausted` from then on. Code whose growth is driven by outside data checks arena_exhausted() once per
 * element and reports an error; all other code needs no check at all. A single allocation must be bounded by the input that
 * asked for it. When malloc itself fails the process aborts: all that matters is journalled before it is acted on.
 *
 * An arena belongs to one thread at a time. Children count towards their parent, so they share its thread.
 */
#pragma once

#include "base/str.h"

#include <stdalign.h>
#include <stdarg.h>

struct arena;

/* `parent` may be NULL; `limit` in bytes, 0 for none. */
struct arena *arena_new(struct arena *parent, size_t limit);

/* Accepts NULL. */
void arena_free(struct arena *a);

/* Frees what it holds (children, hooks, memory) and keeps the arena for reuse; it is no longer exhausted. */
void arena_reset(struct arena *a);

/* Zeroed memory. `size` 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t size, size_t align);
#define arena_make(a, T) ((T *)arena_alloc((a), sizeof(T), alignof(T)))
#define arena_make_n(a, T, n) ((T *)arena_alloc_n((a), sizeof(T), (n), alignof(T)))
void *arena_alloc_n(struct arena *a, size_t size, size_t n, size_t align);

/* A copy with a NUL behind it, so .p serves as a C string when the text holds no NUL itself. */
struct str arena_str(struct arena *a, struct str s);

/* The same with ASCII letters in lower case. */
struct str arena_lower(struct arena *a, struct str s);

struct str arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct str arena_vprintf(struct arena *a, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Call `hook(what)` when the arena is freed or reset. */
void arena_on_free(struct arena *a, void (*hook)(void *what), void *what);

/* Bytes held, children included. */
size_t arena_used(const struct arena *a);

/* Has this arena or one of its ancestors passed its limit? */
bool arena_exhausted(const struct arena *a);

/* Random per tree of arenas: the seed for hash tables that live in it. */
uint64_t arena_seed(struct arena *a);

static inline void arena_free_at(struct arena **a)
{
    arena_free(*a);
}
/* struct arena *scratch ARENA_AUTO = arena_new(NULL, 0); */
#define ARENA_AUTO __attribute__((cleanup(arena_free_at)))
