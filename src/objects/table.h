/*
 * Tables in kubectl's style: columns as wide as necessary, separated by three blanks. If the terminal is narrower, long cells are
 * cut, but not those under NAME, which people copy.
 */
#pragma once

#include "base/buf.h"
#include "base/clock.h"
#include "base/vec.h"

enum { TABLE_COLUMNS = 10 };

struct table_line {
    struct str cells[TABLE_COLUMNS];
};

struct table {
    struct arena *arena;
    size_t n_columns;
    VEC(struct table_line) lines; /* the first is the header */
    size_t widths[TABLE_COLUMNS]; /* of all lines so far, including removed ones */
    size_t least[TABLE_COLUMNS];  /* minimal widths of columns */
    size_t limit;                 /* maximal width of a line; 0: no limit */
};

/* `limit`: as above; for a terminal, use terminal_columns(). */
void table_begin(struct table *t, struct arena *a, size_t limit);
/* Copies the cells. `n` is the same for all lines. */
void table_add(struct table *t, const struct str *cells, size_t n);
/* Removes all lines and continues in this arena; the columns keep their widths. */
void table_go_on(struct table *t, struct arena *a);
/* Escapes control characters. The last column has no fixed width, and is cut to `max` characters (0: not cut). */
void table_write(struct buf *out, const struct table *t, size_t max);

/* An age in kubectl's format: 45s, 3m20s, 47m, 5h12m, 2d3h, 87d, 3y11d. "<unknown>" for an unknown time (0). */
struct str table_age(struct arena *a, int64_t since_ns, int64_t now_ns);
