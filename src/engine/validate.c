/* The provider's opinion on a configuration. */
#include "engine/call.h"
#include "engine/known.h"
#include "value/msgpack.h"

enum { MAX_CONFIG = 256 << 20 };

/* False: it cannot be told, and the provider is asked. */
static bool sum_of(struct engine *e, const struct resource *r, const struct config *config, struct known_sum *ret)
{
    struct buf bytes BUF_AUTO = BUF_INIT(MAX_CONFIG);
    struct diags ignored;
    diags_init(&ignored, e->arena);
    if (!e->known || !msgpack_encode(&bytes, config->value, r->schema->type, &ignored))
        return false;
    *ret = known_sum(e->known, "ValidateResourceConfig", r->type, r->schema->version, buf_str(&bytes));
    return true;
}

enum engine_status engine_validate(struct engine *e, const struct resource *r, const struct config *config)
{
    struct known_sum sum;
    int64_t now = clock_now(&system_clock);
    bool has_sum = sum_of(e, r, config, &sum);
    if (has_sum && known_has(e->known, sum, now))
        return ENGINE_OK;
    struct validate_request request = {.type_name = r->type, .config = config->value, .capabilities = engine_capabilities()};
    struct call c = call_start(e);
    enum provider_status status = provider_validate_resource(e->provider, e->arena, &request, &c.options, &c.found);
    if (has_sum && status == PROVIDER_OK && c.found.n == 0)
        known_add(e->known, sum, now);
    return call_finish(&c, "ValidateResourceConfig", status, config);
}

enum engine_status engine_validate_data(struct engine *e, const struct resource *r, const struct config *config)
{
    struct validate_request request = {.type_name = r->type, .config = config->value};
    struct call c = call_start(e);
    enum provider_status status = provider_validate_data(e->provider, e->arena, &request, &c.options, &c.found);
    return call_finish(&c, "ValidateDataResourceConfig", status, config);
}
