/* Escapes text from outside for an HTML page, so that it is never markup. For text content and quoted attributes. */
#pragma once

#include "base/buf.h"

/* Invalid UTF-8 and control characters (except tabs and line feeds) become U+FFFD. */
void html_write(struct buf *out, struct str text);
