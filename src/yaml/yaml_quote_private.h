/* Quoting of strings, shared by both writers. Private to this folder. */
#pragma once

#include "base/buf.h"

/* True for characters that must be written as an escape: control characters, line and paragraph separators, byte order marks. */
bool yaml_must_escape(uint32_t c);

/* The character at the start of `s`, *ret_n bytes long; U+FFFD for a bad byte. */
uint32_t yaml_decode(struct str s, size_t *ret_n);

/* Writes the text in double quotes on one line; bad bytes become U+FFFD. */
void yaml_put_quoted(struct buf *out, struct str s);
