/*
 * Vectors in an arena: VEC(struct diag) list = {0}; *VEC_PUSH(arena, &list) = (struct diag){...};
 *
 * Growing doubles the capacity and leaves the old array in the arena, so pointers into it stay readable but become stale.
 */
#pragma once

#include "base/arena.h"

#define VEC(T)                                                                                                                   \
    struct {                                                                                                                     \
        T *v;                                                                                                                    \
        size_t n, cap;                                                                                                           \
    }

/* A pointer to a new, zeroed element at the end. */
#define VEC_PUSH(a, vec)                                                                                                         \
    (vec_reserve((a), (void **)&(vec)->v, &(vec)->cap, (vec)->n + 1, sizeof *(vec)->v, alignof(max_align_t)),                    \
     &(vec)->v[(vec)->n++])

/* Makes room for `need` elements; new ones are zeroed. Called by VEC_PUSH. */
void vec_reserve(struct arena *a, void **v, size_t *cap, size_t need, size_t size, size_t align);
