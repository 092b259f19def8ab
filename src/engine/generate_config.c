/* The configuration that the provider generates for an object that exists. */
#include "engine/call_private.h"

enum engine_status engine_generate_config(struct engine *e, const struct resource *r, const struct object *o,
                                          const struct value **ret)
{
    struct generate_config_request request = {.type_name = r->type, .state = o->value};
    struct generate_config_response response;
    struct call c = call_start(e);
    enum provider_status status = provider_generate_config(e->provider, e->arena, &request, &c.options, &c.found, &response);
    enum engine_status s = call_finish(&c, "GenerateResourceConfig", status, NULL);
    if (s == ENGINE_OK)
        *ret = engine_value(e, response.config, r->schema->type);
    return s;
}
