/* Plans from the stored object and the configuration, in core's order: upgrade, refresh, plan. */
#include "engine/call_private.h"
#include "engine/planning_private.h"

/* Before a destruction core does not show the provider's warnings from the refresh. */
static enum engine_status refresh_quietly(struct engine *e, const struct resource *r, struct object *o)
{
    struct diags *all = e->diags, quiet;
    diags_init(&quiet, e->arena);
    e->diags = &quiet;
    enum engine_status s = engine_refresh(e, r, o, NULL, o);
    e->diags = all;
    if (s != ENGINE_OK)
        diags_append(all, &quiet);
    return s;
}

static enum engine_status present_object(struct engine *e, const struct resource *r, const struct state_instance *stored,
                                         const struct resource_config *config, const struct plan_options *options,
                                         struct object *ret)
{
    struct object o;
    enum engine_status s = engine_upgrade(e, r, stored, config, &o);
    if (s == ENGINE_OK && !options->no_refresh)
        s = config ? engine_refresh(e, r, &o, config, &o) : refresh_quietly(e, r, &o);
    if (s == ENGINE_OK)
        *ret = o;
    return s;
}

enum engine_status engine_plan(struct engine *e, const struct resource *r, const struct state_instance *stored,
                               const struct resource_config *config, const struct plan_options *options, struct plan *ret)
{
    bool destroy = value_is_null(config->value);
    struct object prior;
    enum engine_status s = present_object(e, r, stored, destroy ? NULL : config, options, &prior);
    if (s != ENGINE_OK)
        return s;
    return destroy ? plan_destroy(e, r, &prior, ret) : plan_change(e, r, &prior, config, options, ret);
}
