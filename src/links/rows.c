#include "links/rows.h"

#include <stdlib.h>

enum { COLUMNS = 6 };

static const char head[] = "#source_type\tpath\ttarget_type\ttarget_attribute\tcount\tkind\n";

/* --- reading and writing --- */

bool link_rows_are(struct str text)
{
    while (text.n > 0) {
        struct str line = str_cut(&text, '\n');
        bool skipped = str_trim(line).n == 0 || line.p[0] == '#';
        for (size_t i = 0; i + 1 < line.n && !skipped; i++)
            if (line.p[i] == '-' && line.p[i + 1] == '>')
                return false;
        if (!skipped)
            return str_find(line, '\t', 0) != SIZE_MAX;
    }
    return false;
}

static bool read_row(struct link_rows *rows, struct str line)
{
    struct str cells[COLUMNS];
    size_t n = 0;
    int64_t count;
    while (line.n > 0 && n < COLUMNS)
        cells[n++] = str_cut(&line, '\t');
    if (n < COLUMNS || line.n > 0 || !str_to_i64(cells[4], &count) || count < 0 || count > UINT32_MAX)
        return false;
    bool part = str_eqz(cells[5], "part");
    if (!part && !str_eqz(cells[5], "whole"))
        return false;
    *VEC_PUSH(rows->arena, rows) = (struct link_row){
        .type = arena_str(rows->arena, cells[0]),
        .path = arena_str(rows->arena, cells[1]),
        .target = arena_str(rows->arena, cells[2]),
        .attribute = arena_str(rows->arena, cells[3]),
        .count = (uint32_t)count,
        .kind = part ? LINK_PART : LINK_WHOLE,
    };
    return true;
}

bool link_rows_read(struct link_rows *rows, struct str text, const char *source, struct diags *diags)
{
    size_t n_errors = 0;
    for (uint32_t number = 1; text.n > 0 && n_errors < LINKS_MAX_ERRORS; number++) {
        struct str line = str_cut(&text, '\n');
        if (line.n > 0 && line.p[line.n - 1] == '\r')
            line.n--;
        if (str_trim(line).n == 0 || line.p[0] == '#')
            continue;
        if (rows->n == LINKS_MAX_RULES)
            return diags_fail(diags, "Too many rows", "%s:%u: at most %d rows are read.", source, number, (int)LINKS_MAX_RULES);
        if (read_row(rows, line))
            continue;
        n_errors++;
        diags_fail(diags, "Invalid row",
                   "%s:%u: a row has source type, path, target type, target attribute, count and kind (whole or part), with tabs "
                   "between them.",
                   source, number);
    }
    return n_errors == 0;
}

static int compare(const void *x, const void *y)
{
    const struct link_row *a = x, *b = y;
    int order = str_cmp(a->type, b->type);
    if (order == 0)
        order = str_cmp(a->path, b->path);
    if (order == 0)
        order = (int)a->kind - (int)b->kind;
    if (order == 0)
        order = (a->count < b->count) - (a->count > b->count);
    if (order == 0)
        order = str_cmp(a->target, b->target);
    return order == 0 ? str_cmp(a->attribute, b->attribute) : order;
}

void link_rows_sort(struct link_rows *rows)
{
    if (rows->n > 0)
        qsort(rows->v, rows->n, sizeof *rows->v, compare);
}

void link_rows_write(struct buf *out, const struct link_rows *rows)
{
    buf_addz(out, head);
    for (size_t i = 0; i < rows->n; i++) {
        const struct link_row *r = &rows->v[i];
        buf_printf(out, STR_FMT "\t" STR_FMT "\t" STR_FMT "\t" STR_FMT "\t%u\t%s\n", STR_ARG(r->type), STR_ARG(r->path),
                   STR_ARG(r->target), STR_ARG(r->attribute), r->count, r->kind == LINK_PART ? "part" : "whole");
    }
}

/* --- rules --- */

bool link_rows_to_table(const struct link_rows *rows, struct link_table *t, struct diags *diags)
{
    for (size_t i = 0; i < rows->n; i++) {
        const struct link_row *r = &rows->v[i];
        struct link_rule rule = {
            .type = r->type, .path = r->path, .target = r->target, .attribute = r->attribute, .kind = r->kind};
        switch (links_add(t, &rule)) {
        case LINK_ADDED:
        case LINK_REPEATED:
            break;
        case LINK_FULL:
            return diags_fail(diags, "Too many rules", "A table has at most %d rules.", (int)LINKS_MAX_RULES);
        case LINK_WRONG:
            return diags_fail(diags, "Invalid row",
                              "\"" STR_FMT " " STR_FMT " -> " STR_FMT "." STR_FMT
                              "\" is not a valid rule; expected TYPE PATH -> TARGET.ATTRIBUTE.",
                              STR_ARG(r->type), STR_ARG(r->path), STR_ARG(r->target), STR_ARG(r->attribute));
        }
    }
    return true;
}

/* An argument name, its target, and the type it was seen in. */
struct sighting {
    struct str prefix, name, target, attribute, type;
};

static struct str last_name(struct str path)
{
    struct str name = path, marks;
    while (path.n > 0)
        name = link_path_step(&path, &marks);
    return name;
}

static int by_name(const void *x, const void *y)
{
    const struct sighting *a = x, *b = y;
    int order = str_cmp(a->prefix, b->prefix);
    if (order == 0)
        order = str_cmp(a->name, b->name);
    if (order == 0)
        order = str_cmp(a->target, b->target);
    if (order == 0)
        order = str_cmp(a->attribute, b->attribute);
    return order == 0 ? str_cmp(a->type, b->type) : order;
}

static bool same_name(const struct sighting *a, const struct sighting *b)
{
    return str_eq(a->prefix, b->prefix) && str_eq(a->name, b->name);
}

/* The end of the group of `v[from]`: sightings with the same name, the same target too, or the same attribute too. */
enum level { SAME_NAME, SAME_TARGET, SAME_ATTRIBUTE };
static size_t group_end(const struct sighting *v, size_t n, size_t from, enum level level)
{
    size_t to = from;
    while (to < n && same_name(&v[from], &v[to]) && (level < SAME_TARGET || str_eq(v[from].target, v[to].target)) &&
           (level < SAME_ATTRIBUTE || str_eq(v[from].attribute, v[to].attribute)))
        to++;
    return to;
}

/* The largest group of this level within [from, to). */
static size_t largest(const struct sighting *v, size_t from, size_t to, enum level level, size_t *ret_n)
{
    size_t best = from, most = 0;
    for (size_t i = from, end; i < to; i = end) {
        end = group_end(v, to, i, level);
        if (end - i > most) {
            most = end - i;
            best = i;
        }
    }
    *ret_n = most;
    return best;
}

static size_t count_types(const struct sighting *v, size_t from, size_t n)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str *types = arena_make_n(scratch, struct str, n);
    size_t distinct = 0;
    for (size_t i = 0; i < n; i++)
        types[i] = v[from + i].type;
    qsort(types, n, sizeof *types, str_cmp_qsort);
    for (size_t i = 0; i < n; i++)
        distinct += i == 0 || !str_eq(types[i - 1], types[i]);
    return distinct;
}

static bool generalise_name(const struct sighting *v, size_t from, size_t to, size_t least, struct link_table *t)
{
    size_t n_target, n_attribute;
    size_t target = largest(v, from, to, SAME_TARGET, &n_target);
    if (n_target * 10 < (to - from) * 9 || count_types(v, target, n_target) < least)
        return false;
    size_t attribute = largest(v, target, target + n_target, SAME_ATTRIBUTE, &n_attribute);
    struct link_rule rule = {
        .type = arena_printf(t->arena, STR_FMT "_*", STR_ARG(v[from].prefix)),
        .path = arena_printf(t->arena, "**." STR_FMT, STR_ARG(v[from].name)),
        .target = v[attribute].target,
        .attribute = v[attribute].attribute,
    };
    return links_add(t, &rule) == LINK_ADDED;
}

size_t link_rows_generalise(const struct link_rows *rows, size_t least, struct link_table *t)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct sighting *v = arena_make_n(scratch, struct sighting, rows->n);
    size_t n = 0, added = 0;
    for (size_t i = 0; i < rows->n; i++) {
        const struct link_row *r = &rows->v[i];
        struct str rest = r->type;
        struct str prefix = str_cut(&rest, '_');
        if (r->kind == LINK_WHOLE && rest.n > 0)
            v[n++] = (struct sighting){prefix, last_name(r->path), r->target, r->attribute, r->type};
    }
    if (n > 0)
        qsort(v, n, sizeof *v, by_name);
    for (size_t from = 0, to; from < n; from = to) {
        to = group_end(v, n, from, SAME_NAME);
        added += generalise_name(v, from, to, least, t);
    }
    return added;
}
