/* Strings as the language defines them: UTF-8 in Unicode normalisation form C. Private to this folder. */
#pragma once

#include "value/text.h"

/* A normalised copy in the arena; false if `text` is not UTF-8. */
bool text_normalize(struct arena *a, struct str text, struct str *ret);

/* The text with U+FFFD in place of each byte that is not part of a valid character. */
struct str text_mended(struct arena *a, struct str text);

/*
 * The part of a known prefix that stays the same whatever text follows: without the last characters if normalisation could
 * combine them with the following text. `prefix` may be cut within a character.
 */
struct str text_safe_prefix(struct arena *a, struct str prefix);
