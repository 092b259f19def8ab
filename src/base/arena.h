/*
 * Arenas: memory that is freed together.
 *
 * One arena per RPC, per reconcile, per loaded schema. Allocations are never freed one by one. Arenas form a tree: freeing a
 * parent frees its children first; cleanup hooks release resources other than memory, newest first.
 *
 * Limits are soft: an allocation past the limit still succeeds, but from then on the arena, and every ancestor whose own limit
 * has been passed, is exhausted. Code whose memory use depends on outside data checks arena_exhausted() once per element and
 * reports an error; other code needs no check. The size of a single allocation must be bounded by the input that caused it. When
 * malloc() itself fails, the process aborts; this is safe because everything important is journalled before it is acted on.
 *
 * An arena belongs to one thread at a time. Children must be used on their parent's thread, because their memory is counted in
 * the parent.
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

/* Frees the children, runs the hooks and frees the memory, but keeps the arena for reuse; it is no longer exhausted. */
void arena_reset(struct arena *a);

/* Zeroed memory. `size` 0 gives a valid pointer. */
void *arena_alloc(struct arena *a, size_t size, size_t align);
#define arena_make(a, T) ((T *)arena_alloc((a), sizeof(T), alignof(T)))
#define arena_make_n(a, T, n) ((T *)arena_alloc_n((a), sizeof(T), (n), alignof(T)))
void *arena_alloc_n(struct arena *a, size_t size, size_t n, size_t align);

/* Returns a copy followed by a NUL, so .p can be used as a C string if the text itself contains no NUL. */
struct str arena_str(struct arena *a, struct str s);

/* Like arena_str(), with ASCII letters in lower case. */
struct str arena_lower(struct arena *a, struct str s);

struct str arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
struct str arena_vprintf(struct arena *a, const char *format, va_list args) __attribute__((format(printf, 2, 0)));

/* Call `hook(what)` when the arena is freed or reset. */
void arena_on_free(struct arena *a, void (*hook)(void *what), void *what);

/* Bytes allocated, children included. */
size_t arena_used(const struct arena *a);

/* True when this arena or one of its ancestors has passed its limit. */
bool arena_exhausted(const struct arena *a);

/* A random seed for hash tables that live in the arena; all arenas of a tree share it. */
uint64_t arena_seed(struct arena *a);

static inline void arena_free_at(struct arena **a)
{
    arena_free(*a);
}
/* struct arena *scratch ARENA_AUTO = arena_new(NULL, 0); */
#define ARENA_AUTO __attribute__((cleanup(arena_free_at)))
