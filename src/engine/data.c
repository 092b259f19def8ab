/* Reads a data source. */
#include "engine/call_private.h"

static enum engine_status ask(struct engine *e, const struct resource *r, const struct resource_config *config,
                              const struct value **ret)
{
    struct read_data_request request = {
        .type_name = r->type,
        .config = config->value,
        .provider_meta = engine_meta(e),
        .capabilities = engine_capabilities(),
    };
    struct read_data_response response;
    struct call c = call_start(e);
    enum provider_status status = provider_read_data(e->provider, e->arena, &request, &c.options, &c.found, &response);
    enum engine_status s = call_finish(&c, "ReadDataSource", status, config);
    if (s != ENGINE_OK)
        return s;
    if (!engine_check_deferred(e, r, response.deferred))
        return ENGINE_FAILED;
    *ret = engine_value(e, response.state, r->schema->type);
    return ENGINE_OK;
}

enum engine_status engine_read_data(struct engine *e, const struct resource *r, const struct resource_config *config,
                                    const struct value **ret)
{
    const struct value *v;
    enum engine_status s = engine_validate_data(e, r, config);
    if (s == ENGINE_OK)
        s = ask(e, r, config, &v);
    if (s != ENGINE_OK)
        return s;
    if (value_is_null(v))
        return engine_fail(e, "Provider produced null object",
                           "Provider %s produced a null value for " STR_FMT ".\n\n" BUG_IN_PROVIDER, engine_provider_text(e),
                           STR_ARG(r->address));
    if (!v->wholly_known)
        return engine_fail(e, "Provider produced invalid object",
                           "Provider %s produced a value for " STR_FMT " that is not wholly known.\n\n" BUG_IN_PROVIDER,
                           engine_provider_text(e), STR_ARG(r->address));
    *ret = v;
    return ENGINE_OK;
}
