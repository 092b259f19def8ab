/*
 * Links as rows, each with how often it was seen: what mining counts, and what tables of other sources look like.
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
/* Is it rows rather than a table's text? Rows have tabs, and no arrow. */
bool link_rows_are(struct str text);

/* By type and path; of one path whole links first, then what was seen most often, then by target. */
void link_rows_sort(struct link_rows *rows);
void link_rows_write(struct buf *out, const struct link_rows *rows);

/* The rules of the rows, in their order. False and a diagnostic when one of them is no rule. */
bool link_rows_to_table(const struct link_rows *rows, struct link_table *t, struct diags *diags);

/*
 * Rules for arguments that nobody has shown yet: when whole links of one name lead to the same type in at least `least` types
 * (and in nine of ten cases), "PREFIX_* **.NAME -> TARGET.ATTRIBUTE" is added, with the attribute that was seen most often. Call
 * it after link_rows_to_table, so that what was seen wins. Returns how many rules there are.
 */
size_t link_rows_generalise(const struct link_rows *rows, size_t least, struct link_table *t);
