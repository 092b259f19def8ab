/* Text in quotes: as Go writes it, and as the Terraform language does. */
#pragma once

#include "base/arena.h"

/* The text quoted and escaped as Go's %q, the form in which strings take part in the order of set elements. */
struct buf;
void text_write_quoted(struct buf *out, struct str text);

/*
 * The text as a string of the Terraform language: in addresses, where ${ and %{ are written $${ and %%{. Reading refuses what is
 * no such string, and a template in it; `quoted` has its quotes, *ret is in the arena.
 */
void text_write_language(struct buf *out, struct str text);
bool text_read_language(struct arena *a, struct str quoted, struct str *ret);

/* What a reader sees as characters: grapheme clusters of a text that is UTF-8. `terraform fmt` aligns by their number. */
size_t text_count_clusters(struct str text);
