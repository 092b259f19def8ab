/*
 * What providers write about their attributes, as text for people: in comments of manifests and in tables of pages. Control
 * characters and everything that a reader of YAML might take for the end of a line become blanks.
 */
#pragma once

#include "base/buf.h"

/* On one line, of at most `max` bytes; what is longer is cut at a word and ends in "...". */
struct str text_line(struct arena *a, struct str text, size_t max);
/* As text_line(), of the first sentence. */
struct str text_sentence(struct arena *a, struct str text, size_t max);
/* A line as it may stand in a table in Markdown. */
void text_cell(struct buf *out, struct str line);
