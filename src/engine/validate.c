/* The provider's opinion on a configuration. */
#include "engine/call.h"

enum engine_status engine_validate(struct engine *e, const struct resource *r, const struct config *config)
{
    struct validate_request request = {.type_name = r->type, .config = config->value, .capabilities = engine_capabilities()};
    struct call c = call_start(e);
    enum provider_status status = provider_validate_resource(e->provider, e->arena, &request, &c.options, &c.found);
    return call_finish(&c, "ValidateResourceConfig", status, config);
}

enum engine_status engine_validate_data(struct engine *e, const struct resource *r, const struct config *config)
{
    struct validate_request request = {.type_name = r->type, .config = config->value};
    struct call c = call_start(e);
    enum provider_status status = provider_validate_data(e->provider, e->arena, &request, &c.options, &c.found);
    return call_finish(&c, "ValidateDataResourceConfig", status, config);
}
