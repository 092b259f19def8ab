/*
 * Tables of the translated types, one line for each attribute, to compare with other tools by sort and diff.
 *
 * UTF-8, tab-separated, no quoting; the first line is a header that starts with #; an empty cell is "-". JSON in cells has no
 * blanks, keys in byte order, and minimal escapes. cc_table_sort() puts the rows of all types in byte order.
 */
#pragma once

#include "translate/translate.h"

enum cc_table { CC_TABLE_RESOURCES, CC_TABLE_SINGULAR, CC_TABLE_TYPES };
enum { CC_TABLE_MAX = 1 << 30 };

bool cc_table_named(struct str name, enum cc_table *ret); /* "resources", "singular", "types" */
void cc_table_header(struct buf *out, enum cc_table table);
/* The rows of one type; none if the table does not apply to it. */
void cc_table_rows(struct buf *out, enum cc_table table, const struct cc_type *t);
/* Sorts the lines in byte order. */
void cc_table_sort(struct buf *rows);
