/* Ephemeral resources: values that live for a while and are never stored. */
#include "engine/call_private.h"

static int64_t wall_ns(int64_t seconds, int32_t nanos)
{
    int64_t ns;
    if (__builtin_mul_overflow(seconds, NS_PER_S, &ns) || __builtin_add_overflow(ns, nanos, &ns))
        return seconds < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

static enum engine_status validate(struct engine *e, const struct resource *r, const struct resource_config *config)
{
    struct validate_request request = {.type_name = r->type, .config = config->value};
    struct call c = call_start(e);
    enum provider_status status = provider_validate_ephemeral(e->provider, e->arena, &request, &c.options, &c.found);
    return call_finish(&c, "ValidateEphemeralResourceConfig", status, config);
}

enum engine_status engine_open_ephemeral(struct engine *e, const struct resource *r, const struct resource_config *config,
                                         struct ephemeral *ret)
{
    enum engine_status s = validate(e, r, config);
    if (s != ENGINE_OK)
        return s;
    struct open_ephemeral_request request = {
        .type_name = r->type, .config = config->value, .capabilities = engine_capabilities()};
    struct open_ephemeral_response response;
    struct call c = call_start(e);
    enum provider_status status = provider_open_ephemeral(e->provider, e->arena, &request, &c.options, &c.found, &response);
    s = call_finish(&c, "OpenEphemeralResource", status, config);
    if (s != ENGINE_OK)
        return s;
    if (!engine_check_deferred(e, r, response.deferred))
        return ENGINE_FAILED;
    const struct value *v = engine_value(e, response.result, r->schema->type);
    if (!v->wholly_known)
        return engine_fail(e, "Provider produced invalid object",
                           "Provider %s produced a value for " STR_FMT " that is not wholly known.\n\n" BUG_IN_PROVIDER,
                           engine_provider_text(e), STR_ARG(r->address));
    *ret = (struct ephemeral){
        .resource = *r,
        .value = v,
        .has_private = response.has_private,
        .private = response.private,
        .has_renew_at = response.has_renew_at,
        .renew_at_ns = response.has_renew_at ? wall_ns(response.renew_at_seconds, response.renew_at_nanos) : 0,
    };
    return ENGINE_OK;
}

enum engine_status engine_renew_ephemeral(struct engine *e, struct ephemeral *ephemeral)
{
    struct renew_ephemeral_request request = {
        .type_name = ephemeral->resource.type, .has_private = ephemeral->has_private, .private = ephemeral->private};
    struct renew_ephemeral_response response;
    struct call c = call_start(e);
    enum provider_status status = provider_renew_ephemeral(e->provider, e->arena, &request, &c.options, &c.found, &response);
    enum engine_status s = call_finish(&c, "RenewEphemeralResource", status, NULL);
    if (s != ENGINE_OK)
        return s;
    ephemeral->has_private = response.has_private;
    ephemeral->private = response.private;
    ephemeral->has_renew_at = response.has_renew_at;
    ephemeral->renew_at_ns = response.has_renew_at ? wall_ns(response.renew_at_seconds, response.renew_at_nanos) : 0;
    return ENGINE_OK;
}

enum engine_status engine_close_ephemeral(struct engine *e, const struct ephemeral *ephemeral)
{
    struct close_ephemeral_request request = {
        .type_name = ephemeral->resource.type, .has_private = ephemeral->has_private, .private = ephemeral->private};
    struct call c = call_start(e);
    enum provider_status status = provider_close_ephemeral(e->provider, e->arena, &request, &c.options, &c.found);
    return call_finish(&c, "CloseEphemeralResource", status, NULL);
}
