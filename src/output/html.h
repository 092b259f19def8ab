/* Text from outside, made safe for a page: what was written is shown, and is never markup. For text and for quoted attributes. */
#pragma once

#include "base/buf.h"

/* Bad UTF-8 and control characters (but tabs and line feeds) become U+FFFD. */
void html_write(struct buf *out, struct str text);
