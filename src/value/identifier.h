/*
 * Identifiers of the Terraform language: a letter or underscore, then letters, digits, underscores, dashes and marks, of any
 * script. Resource types, attributes, blocks, functions and modules have such names; all checks of them are made here.
 */
#pragma once

#include "base/str.h"

/* Length in bytes of the identifier at the start of the text; 0 when there is none. */
size_t identifier_length(struct str text);

/* True when the whole text is an identifier. */
bool identifier_is(struct str text);

/* True when the text consists only of characters that may occur in an identifier, in any order. JSON configurations can name an
 * argument "2fa". */
bool identifier_like(struct str text);
