/* Text as the language has it: UTF-8 in Unicode normalisation form C. Private to this folder. */
#pragma once

#include "value/text.h"

/* A normalised copy in the arena; false if `text` is not UTF-8. */
bool text_normalize(struct arena *a, struct str text, struct str *ret);

/* The text with U+FFFD in the place of each byte that is no part of a character. */
struct str text_mended(struct arena *a, struct str text);

/*
 * The part of a known prefix that stays as it is whatever text comes after it: without the last characters when they could
 * combine with what follows. `prefix` may be cut within a character.
 */
struct str text_safe_prefix(struct arena *a, struct str prefix);
