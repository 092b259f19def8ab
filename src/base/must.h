/*
 * Checks for conditions without which the program cannot go on, such as memory: they print a message in one common form and
 * abort.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints a message such as "terrane: cannot start the I/O loop" and aborts unless `ok`. */
static inline void must_be(bool ok, const char *problem)
{
    if (!ok) {
        (void)fprintf(stderr, "terrane: %s\n", problem);
        abort();
    }
}

/* Checks the result of malloc() and similar functions. */
static inline void *must(void *p)
{
    must_be(p != NULL, "out of memory");
    return p;
}

/* Checks a property that the code guarantees; used mostly in fuzz targets. */
#define must_hold(condition) must_be((condition), "this does not hold: " #condition)
