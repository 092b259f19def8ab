/*
 * Types without the attribute `id`, which newer providers have: what tells their objects apart, as far as a schema shows it. Pure
 * functions; what the configuration says wins.
 */
#pragma once

#include "crossplane/external_name.h"
#include "schema/schema.h"

/* Completes the external name of a type: if it has no id, and the configuration names nothing else, sets `without_id` and, where
 * there is such an attribute, `name_field`. What the provider computes tells objects apart. An argument that is only likely to be
 * a name may not (`name_repeats`): records of two zones may both be "www". */
void xp_external_name_without_id(struct arena *a, struct xp_external_name *e, struct str type, const struct schema_block *block);
