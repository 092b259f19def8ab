/* Text from outside, made fit for an error message: bounded, on one line, no control characters, no broken UTF-8. */
#pragma once

#include "base/arena.h"

/* In double quotes; control characters, quotes, backslashes and bad bytes as \xNN; past `max` bytes of input "..." follows. */
struct str quote_text(struct arena *a, struct str text, size_t max);

/* Without quotes and escapes: a line for people. Tabs stay, other control characters and bad bytes become '?'. */
struct str quote_line(struct arena *a, struct str line);
