/*
 * Formats providers' descriptions for comments in manifests and tables in pages. Control characters, everything that a YAML
 * parser might treat as a line break, and characters that would make a line display as something else become blanks.
 */
#pragma once

#include "base/buf.h"

/* The text on one line of at most `max` bytes; longer text is cut at a word and ends in "...". */
struct str xp_text_line(struct arena *a, struct str text, size_t max);
/* As xp_text_line(), but only the first sentence. */
struct str xp_text_sentence(struct arena *a, struct str text, size_t max);

/*
 * Writes a line of untrusted Markdown as a table cell or a paragraph: keeps emphasis, code and web links; escapes HTML and other
 * links, and everything that would end the cell or begin another part of the page.
 */
void xp_text_cell(struct buf *out, struct str line);
void xp_text_paragraph(struct buf *out, struct str line);
/* A name as code, in a table or elsewhere. */
void xp_text_code(struct arena *a, struct buf *out, struct str name);

/* The next UTF-8 character of a text; empty for an invalid byte. */
struct str xp_text_next(struct str *rest);
/* Is this character a blank, or shown as one? */
bool xp_text_is_blank(struct str character);
