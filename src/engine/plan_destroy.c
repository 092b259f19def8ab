#include "engine/call_private.h"
#include "engine/planning_private.h"

static enum engine_status ask(struct engine *e, const struct resource *r, const struct object *prior,
                              struct plan_response *response)
{
    const struct value *nothing = value_null(e->arena, r->schema->type);
    struct plan_request request = {
        .type_name = r->type,
        .prior_state = prior->value,
        .proposed_new_state = nothing,
        .config = nothing,
        .prior_private = prior->private,
        .provider_meta = engine_meta(e),
        .capabilities = engine_capabilities(),
        .prior_identity = prior->identity,
    };
    struct call c = call_start(e);
    enum provider_status status = provider_plan(e->provider, e->arena, &request, &c.options, &c.found, response);
    enum engine_status s = call_finish(&c, "PlanResourceChange", status, NULL);
    if (s != ENGINE_OK)
        return s;
    if (!engine_check_deferred(e, r, response->deferred))
        return ENGINE_FAILED;
    if (response->planned_state && !value_is_null(response->planned_state))
        return engine_fail(e, "Provider produced invalid plan",
                           "Provider \"" STR_FMT "\" planned a non-null destroy value for " STR_FMT ".\n\n" BUG_IN_PROVIDER,
                           STR_ARG(e->provider_address), STR_ARG(r->address));
    return ENGINE_OK;
}

enum engine_status plan_destroy(struct engine *e, const struct resource *r, const struct object *prior, struct plan *ret)
{
    const struct value *nothing = value_null(e->arena, r->schema->type);
    struct plan plan = {.action = ACTION_NO_OP, .prior = *prior, .config = {.value = nothing}, .planned = nothing};
    if (prior->value) {
        /* A provider without the capability plan_destroy is not asked. */
        struct plan_response response = {.planned_private = prior->private};
        enum engine_status s = e->schema->capabilities.plan_destroy ? ask(e, r, prior, &response) : ENGINE_OK;
        if (s != ENGINE_OK)
            return s;
        plan.action = ACTION_DELETE;
        plan.planned_private = response.planned_private;
        plan.planned_identity = engine_identity(response.planned_identity);
        plan.before_sensitive = engine_marks(e, r, prior->sensitive, prior->value);
    }
    *ret = plan;
    return ENGINE_OK;
}
