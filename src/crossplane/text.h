/*
 * What providers write about their attributes, as text for people: in comments of manifests and in tables of pages. Control
 * characters and everything that a reader of YAML might take for the end of a line become blanks, and so does what would make a
 * line look like another one.
 */
#pragma once

#include "base/buf.h"

/* On one line, of at most `max` bytes; what is longer is cut at a word and ends in "...". */
struct str xp_text_line(struct arena *a, struct str text, size_t max);
/* As xp_text_line(), of the first sentence. */
struct str xp_text_sentence(struct arena *a, struct str text, size_t max);

/*
 * A line that is Markdown by whoever wrote it, as it may stand in the cell of a table, or as a paragraph: emphasis, code and
 * links into the web stay; HTML and other links are shown as text, and nothing ends the cell or begins another part of the page.
 */
void xp_text_cell(struct buf *out, struct str line);
void xp_text_paragraph(struct buf *out, struct str line);
/* A name as code, in a table or elsewhere. */
void xp_text_code(struct arena *a, struct buf *out, struct str name);

/* The next character of a text; empty: a byte that is none. */
struct str xp_text_next(struct str *rest);
/* Is this character a blank, or to be shown as one? */
bool xp_text_is_blank(struct str character);
