/*
 * Is this object the one that a configuration asked for? For what was made and never told: only what the configuration says is
 * compared, and what providers are known to write in another way than they were told does not tell objects apart.
 */
#pragma once

#include "value/value.h"

/* In order: of several parts the last decides. */
enum alike {
    ALIKE_SAME,
    ALIKE_UNSURE, /* nothing differs for certain: something is not shown, or is perhaps only written in another way */
    ALIKE_OTHER,
};

/* Parts of `wanted` that are null or not known yet are as they may be; in maps, keys beside the wanted ones are. */
enum alike alike(const struct value *wanted, const struct value *shown);
