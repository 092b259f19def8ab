/*
 * Makes text from outside (a provider, a file, a peer) safe for a terminal: control sequences in it are shown, never executed.
 *
 * Escaped are control characters (U+0000 to U+001F, U+007F, and U+0080 to U+009F, which terminals interpret as well),
 * bidirectional controls (U+202A to U+202E, U+2066 to U+2069: they can make a line look different from what it is), line and
 * paragraph separators (U+2028, U+2029), and what is not UTF-8. A byte is written as \x1b, a character of several bytes as
 * \u202e.
 */
#pragma once

#include "base/buf.h"

bool terminal_is_safe(struct str text);

/* Writes the first character, escaped if necessary. Returns how many bytes of `text` it consumed. */
size_t terminal_write_first(struct buf *out, struct str text);

/* Writes all of the text. `keep` says which control characters are not escaped: tabs, tabs and line feeds, or none. */
enum terminal_keep { TERMINAL_KEEP_NOTHING, TERMINAL_KEEP_TABS, TERMINAL_KEEP_LINES };
void terminal_write(struct buf *out, struct str text, enum terminal_keep keep);

/* The largest size of n bytes after escaping. */
#define TERMINAL_MAX(n) ((n) * 4)

/* A copy of a line, tabs kept. */
struct str terminal_line(struct arena *a, struct str line);
/* The text in double quotes, with quotes and backslashes escaped too; after `max` bytes of input it is cut with "...". */
struct str terminal_quote(struct arena *a, struct str text, size_t max);
/* The width of the terminal behind a descriptor; 0 when it is not a terminal or its width is unknown. */
size_t terminal_columns(int fd);

/* Writes a table cell: line feeds, carriage returns and tabs become blanks; after `max` characters it is cut with "...". Returns
 * the columns written. */
size_t terminal_write_cell(struct buf *out, struct str text, size_t max);
