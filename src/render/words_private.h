/* Names and texts as the configuration language writes them. Private to this folder. */
#pragma once

#include "base/buf.h"

/* A name: plain where the language allows it, else quoted. */
struct str words_name(struct arena *a, struct str name);
struct str words_quoted(struct arena *a, struct str text);
/* Without white space at both ends, Unicode's included. */
struct str words_trim(struct str s);
/* Broken at blanks so that no line is longer than `width`, where that is possible; 0: not at all. */
void words_wrap(struct buf *out, struct str text, size_t width);
