/* Quoted strings: in Go's syntax and in that of the Terraform language. */
#pragma once

#include "base/arena.h"

/* Writes the text quoted and escaped like Go's %q; set elements are ordered by this form of their strings. */
struct buf;
void text_write_quoted(struct buf *out, struct str text);

/*
 * Strings in the syntax of the Terraform language, as in addresses: ${ and %{ are written $${ and %%{. Reading fails when
 * `quoted`, which includes the quotes, is not such a string or contains a template; *ret is in the arena.
 */
void text_write_language(struct buf *out, struct str text);
bool text_read_language(struct arena *a, struct str quoted, struct str *ret);

/* Number of grapheme clusters (what a reader sees as characters) of a UTF-8 text. `terraform fmt` aligns by this number. */
size_t text_count_clusters(struct str text);
