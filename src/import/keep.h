/*
 * What stays of an object that was read. Finding its configuration takes many calls, whose messages are in the same arena; this
 * is a copy of what counts, as small as it can be had: types and names are the schema's, and what is in the object twice (in its
 * state, in its configuration, as JSON) is kept once.
 */
#pragma once

#include "import/worklist.h"

/* In an arena of its own, which shares nothing with the other but the schema. */
struct import_result *import_keep(const struct import_result *r);

/* Another configuration for a result that is kept. */
void import_keep_configured(struct import_result *kept, const struct configured *c);
