/*
 * Is this object the one that a configuration asked for? Used to find an object whose creation was never confirmed. Only what the
 * configuration sets is compared, and values that providers are known to rewrite do not count as different.
 */
#pragma once

#include "value/value.h"

/* In order of precedence: the highest value among the parts is the result for the whole. */
enum alike {
    ALIKE_SAME,
    ALIKE_UNSURE, /* no certain difference: something is not shown, or may only be written differently */
    ALIKE_OTHER,
};

/* Parts of `wanted` that are null or unknown match anything; maps may have additional keys. */
enum alike alike(const struct value *wanted, const struct value *shown);
