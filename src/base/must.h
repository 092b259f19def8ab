/*
 * What must be had or must be true, or else nothing after it could be done properly: it ends the program, everywhere in the same
 * words.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* "terrane: cannot start the I/O loop" */
static inline void must_be(bool ok, const char *problem)
{
    if (!ok) {
        (void)fprintf(stderr, "terrane: %s\n", problem);
        abort();
    }
}

/* What malloc() and its like have given. */
static inline void *must(void *p)
{
    must_be(p != NULL, "out of memory");
    return p;
}

/* A property that the code itself vouches for; in fuzz targets, mostly. */
#define must_hold(condition) must_be((condition), "this does not hold: " #condition)
