/* The provider validates a configuration. */
#include "engine/call_private.h"
#include "engine/memo.h"

/*
 * The memo's key is made from the JSON, which does not show unknown values: a configuration with unknown values has no key, and
 * the provider is asked.
 */
static bool key_of(struct engine *e, const struct resource *r, const struct resource_config *config, struct memo_key *ret)
{
    if (!e->memo || !config->json || !config->value->wholly_known)
        return false;
    *ret = memo_key(e->memo, "ValidateResourceConfig", r->type, r->schema->version, config->json);
    return true;
}

enum engine_status engine_validate(struct engine *e, const struct resource *r, const struct resource_config *config)
{
    struct memo_key key;
    int64_t now = clock_now(&system_clock);
    bool has_key = key_of(e, r, config, &key);
    if (has_key && memo_has(e->memo, key, now))
        return ENGINE_OK;
    struct validate_request request = {.type_name = r->type, .config = config->value, .capabilities = engine_capabilities()};
    struct call c = call_start(e);
    enum provider_status status = provider_validate_resource(e->provider, e->arena, &request, &c.options, &c.found);
    if (has_key && status == PROVIDER_OK && c.found.n == 0)
        memo_add(e->memo, key, now);
    return call_finish(&c, "ValidateResourceConfig", status, config);
}

enum engine_status engine_validate_data(struct engine *e, const struct resource *r, const struct resource_config *config)
{
    struct validate_request request = {.type_name = r->type, .config = config->value};
    struct call c = call_start(e);
    enum provider_status status = provider_validate_data(e->provider, e->arena, &request, &c.options, &c.found);
    return call_finish(&c, "ValidateDataResourceConfig", status, config);
}
