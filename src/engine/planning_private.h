/* The two ways to plan, for engine_plan() and for the re-planning before an apply. Private to this folder. */
#pragma once

#include "engine/engine.h"

/* plan_change.c: plans the change from an object as it is now (value NULL: none) to a validated configuration. */
enum engine_status plan_change(struct engine *e, const struct resource *r, const struct object *prior,
                               const struct resource_config *config, const struct plan_options *options, struct plan *ret);
/* plan_destroy.c: plans the destruction of an object; without an object there is nothing to do. */
enum engine_status plan_destroy(struct engine *e, const struct resource *r, const struct object *prior, struct plan *ret);
