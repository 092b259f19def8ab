/* Writes names and texts as in the configuration language. Private to this folder. */
#pragma once

#include "base/buf.h"

/* A name, without quotes if the language allows it. */
struct str words_name(struct arena *a, struct str name);
struct str words_quoted(struct arena *a, struct str text);
/* Trims white space, including Unicode's. */
struct str words_trim(struct str s);
/* Wraps the text at blanks so that lines have at most `width` columns where possible; 0: no wrapping. */
void words_wrap(struct buf *out, struct str text, size_t width);
