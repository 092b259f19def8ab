/*
 * Names as the language can write them: a letter or underscore, then letters, digits, underscores, dashes and marks, of any
 * script. So are called resource types, attributes, blocks, functions, modules; all that checks such a name asks here.
 */
#pragma once

#include "base/str.h"

/* Bytes of the identifier that the text starts with; 0: it starts with none. */
size_t identifier_length(struct str text);

/* Is the whole text one? */
bool identifier_is(struct str text);

/* Is it made of nothing but what an identifier may have, in any order? JSON configurations can name an argument "2fa". */
bool identifier_like(struct str text);
