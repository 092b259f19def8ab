/*
 * Tables as kubectl prints them: columns as wide as they need to be, three blanks between them. Where the terminal is narrower,
 * long cells are cut, but not those under NAME, which people copy.
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
    size_t widths[TABLE_COLUMNS]; /* of all lines so far, also of those that were taken out */
    size_t least[TABLE_COLUMNS];  /* columns are not made narrower than this */
    size_t limit;                 /* how wide a line should be at most; 0: as wide as it is */
};

/* `limit`: as above; that of a terminal is terminal_columns(). */
void table_begin(struct table *t, struct arena *a, size_t limit);
/* Each cell is copied. `n` is the same for all lines. */
void table_add(struct table *t, const struct str *cells, size_t n);
/* From now on in this arena, without lines; columns stay as wide as they were. */
void table_go_on(struct table *t, struct arena *a);
/* What would steer a terminal is escaped. The last column is as long as it is, cut to `max` characters (0: not). */
void table_write(struct buf *out, const struct table *t, size_t max);

/* How long ago, as kubectl says it: 45s, 3m20s, 47m, 5h12m, 2d3h, 87d, 3y11d. "<unknown>" for a time that is not known (0). */
struct str table_age(struct arena *a, int64_t since_ns, int64_t now_ns);
