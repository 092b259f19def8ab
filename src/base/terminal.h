/*
 * Text from outside, made safe for a terminal: what a provider, a file or a peer wrote is shown, and never obeyed.
 *
 * Not sent as it is: control characters (U+0000 to U+001F, U+007F, and U+0080 to U+009F, which terminals obey as well), controls
 * of the writing direction (U+202A to U+202E, U+2066 to U+2069: they make a line read other than it is), line and paragraph
 * separators (U+2028, U+2029), and what is not UTF-8. A byte is written as \x1b, a character of several bytes as \u202e.
 */
#pragma once

#include "base/buf.h"

bool terminal_is_safe(struct str text);

/* The first character, as it is or escaped. Returns how many bytes of `text` it took. */
size_t terminal_write_first(struct buf *out, struct str text);

/* All of it. What may stay: tabs, or tabs and line feeds; nothing, where the text has to be one word or one line. */
enum terminal_keep { TERMINAL_KEEP_NOTHING, TERMINAL_KEEP_TABS, TERMINAL_KEEP_LINES };
void terminal_write(struct buf *out, struct str text, enum terminal_keep keep);

/* The most that escaping makes of n bytes. */
#define TERMINAL_MAX(n) ((n) * 4)

/* A copy of a line, tabs kept. */
struct str terminal_line(struct arena *a, struct str line);
/* In double quotes, the quotes and backslashes in it escaped too; past `max` bytes of input "..." follows. */
struct str terminal_quote(struct arena *a, struct str text, size_t max);
/* How wide the terminal behind a descriptor is; 0: it is not a terminal, or does not say. */
size_t terminal_columns(int fd);

/* For a cell of a table: line feeds, carriage returns and tabs become blanks; past `max` characters "..." follows. Returns the
 * columns written. */
size_t terminal_write_cell(struct buf *out, struct str text, size_t max);
