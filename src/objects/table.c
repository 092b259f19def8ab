#include "objects/table.h"

#include "base/terminal.h"

#include <inttypes.h>

enum { GAP = 3, MAX_CELL = 4096, LEAST = 8, DOTS = 3 };

void table_begin(struct table *t, struct arena *a, size_t limit)
{
    *t = (struct table){.arena = a, .limit = limit};
}

/* Escapes and cuts a cell, so that it has one line. */
static struct str safe(struct arena *a, struct str text, size_t max)
{
    struct buf out BUF_AUTO = BUF_INIT(TERMINAL_MAX(MAX_CELL) + 16);
    (void)terminal_write_cell(&out, text, max > 0 ? max : MAX_CELL);
    return buf_copy(&out, a);
}

static size_t width(struct str s)
{
    return str_count_utf8(s);
}

void table_add(struct table *t, const struct str *cells, size_t n)
{
    struct table_line *line = VEC_PUSH(t->arena, &t->lines);
    for (size_t i = 0; t->n_columns == 0 && i < n; i++) { /* the first line is the header */
        size_t own = str_eqz(cells[i], "NAME") ? SIZE_MAX : width(cells[i]);
        t->least[i] = own > LEAST ? own : LEAST;
    }
    t->n_columns = n;
    for (size_t i = 0; i < n; i++) {
        line->cells[i] = safe(t->arena, cells[i], 0);
        t->widths[i] = width(line->cells[i]) > t->widths[i] ? width(line->cells[i]) : t->widths[i];
    }
}

void table_go_on(struct table *t, struct arena *a)
{
    t->arena = a;
    t->lines.v = NULL;
    t->lines.n = t->lines.cap = 0;
}

/* Makes columns narrower, the widest first, until a line fits or no column can shrink. */
static void fit(const struct table *t, size_t max, size_t widths[TABLE_COLUMNS])
{
    size_t last = t->n_columns - 1, total = GAP * last;
    memcpy(widths, t->widths, sizeof t->widths);
    if (max > 0 && widths[last] > max + DOTS)
        widths[last] = max + DOTS;
    for (size_t i = 0; i < t->n_columns; i++)
        total += widths[i];
    while (t->limit > 0 && total > t->limit) {
        size_t widest = t->n_columns;
        for (size_t i = 0; i < t->n_columns; i++)
            if (widths[i] > t->least[i] && (widest == t->n_columns || widths[i] > widths[widest]))
                widest = i;
        if (widest == t->n_columns)
            return;
        widths[widest]--;
        total--;
    }
}

void table_write(struct buf *out, const struct table *t, size_t max)
{
    size_t widths[TABLE_COLUMNS];
    if (t->n_columns == 0)
        return;
    fit(t, max, widths);
    for (size_t i = 0; i < t->lines.n; i++) {
        for (size_t k = 0; k < t->n_columns; k++) {
            bool is_last = k + 1 == t->n_columns;
            struct str cell = t->lines.v[i].cells[k];
            if (width(cell) > widths[k])
                cell = safe(t->arena, cell, widths[k] - DOTS);
            buf_add(out, cell);
            for (size_t n = width(cell); !is_last && n < widths[k] + GAP; n++)
                buf_addc(out, ' ');
        }
        buf_addc(out, '\n');
    }
}

/* ---- ages ---- */

static struct str two(struct arena *a, int64_t large, const char *unit, int64_t small, const char *small_unit)
{
    if (small == 0)
        return arena_printf(a, "%" PRId64 "%s", large, unit);
    return arena_printf(a, "%" PRId64 "%s%" PRId64 "%s", large, unit, small, small_unit);
}

struct str table_age(struct arena *a, int64_t since_ns, int64_t now_ns)
{
    enum { MINUTE = 60, HOUR = 3600, DAY = 24 * HOUR, YEAR = 365 * DAY };
    if (since_ns == 0)
        return STR("<unknown>");
    int64_t s = (now_ns - since_ns) / NS_PER_S;
    s = s < 0 ? 0 : s;
    if (s < 2 * MINUTE)
        return arena_printf(a, "%" PRId64 "s", s);
    if (s < 10 * MINUTE)
        return two(a, s / MINUTE, "m", s % MINUTE, "s");
    if (s < 3 * HOUR)
        return two(a, s / MINUTE, "m", 0, "");
    if (s < 8 * HOUR)
        return two(a, s / HOUR, "h", s % HOUR / MINUTE, "m");
    if (s < 2 * DAY)
        return two(a, s / HOUR, "h", 0, "");
    if (s < 8 * DAY)
        return two(a, s / DAY, "d", s % DAY / HOUR, "h");
    if (s < (int64_t)2 * YEAR)
        return two(a, s / DAY, "d", 0, "");
    if (s < (int64_t)8 * YEAR)
        return two(a, s / YEAR, "y", s % YEAR / DAY, "d");
    return two(a, s / YEAR, "y", 0, "");
}
