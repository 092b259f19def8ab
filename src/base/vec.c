#include "base/vec.h"

enum { SMALLEST = 8 };

void vec_reserve(struct arena *a, void **v, size_t *cap, size_t need, size_t size, size_t align)
{
    if (need <= *cap)
        return;
    size_t grown = *cap > 0 ? *cap * 2 : SMALLEST;
    while (grown < need)
        grown *= 2;
    void *moved = arena_alloc_n(a, size, grown, align);
    if (*cap > 0)
        memcpy(moved, *v, *cap * size);
    *v = moved;
    *cap = grown;
}
