/*
 * The part of an object's result that is kept. Finding its configuration takes many calls, whose messages share its arena; this
 * makes a copy of what is needed, as small as possible: types and names are the schema's, and data that occurs twice (in the
 * state, the configuration and the JSON) is stored once.
 */
#pragma once

#include "import/worklist.h"

/* The copy has its own arena, which shares only the schema with the original. */
struct import_result *import_keep(const struct import_result *r);

/* Replaces the configuration of a kept result. */
void import_keep_configured(struct import_result *kept, const struct configured *c);
