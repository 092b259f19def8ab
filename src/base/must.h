/*
 * Memory that cannot be had ends the program, everywhere in the same words: nothing after it could be done properly.
 */
#pragma once

#include <stdio.h>
#include <stdlib.h>

/* What malloc() and its like have given. */
static inline void *must(void *p)
{
    if (!p) {
        (void)fputs("terrane: out of memory\n", stderr);
        abort();
    }
    return p;
}
