/*
 * Links as rows, each with the number of its occurrences: the result of mining, and the format of tables from other sources.
 *
 *     #source_type <TAB> path <TAB> target_type <TAB> target_attribute <TAB> count <TAB> kind
 */
#pragma once

#include "links/links.h"

struct link_row {
    struct str type, path, target, attribute;
    uint32_t count;
    enum link_kind kind; /* WHOLE or PART */
};

struct link_rows {
    struct arena *arena;
    struct link_row *v;
    size_t n, cap;
};

/* Appends the rows of a text; false and diagnostics with SOURCE:LINE. Lines that begin with # are skipped. */
bool link_rows_read(struct link_rows *rows, struct str text, const char *source, struct diags *diags);
/* Is the text rows rather than a link table? Rows have tabs and no arrow. */
bool link_rows_are(struct str text);

/* Sorts by type and path; within a path by kind (WHOLE first), count (highest first), then target. */
void link_rows_sort(struct link_rows *rows);
void link_rows_write(struct buf *out, const struct link_rows *rows);

/* Adds a rule for each row, in order. False and a diagnostic if a row is not a valid rule. */
bool link_rows_to_table(const struct link_rows *rows, struct link_table *t, struct diags *diags);

/*
 * Adds rules for arguments that no example showed: if WHOLE links of one argument name lead to the same target type in at least
 * `least` types (and in nine of ten cases), adds "PREFIX_* **.NAME -> TARGET.ATTRIBUTE" with the most frequent attribute. Call it
 * after link_rows_to_table(), so that observed links win. Returns the number of rules added.
 */
size_t link_rows_generalise(const struct link_rows *rows, size_t least, struct link_table *t);
