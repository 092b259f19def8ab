/* Reads the object as it is now. */
#include "engine/call_private.h"

/*
 * terraform-plugin-framework (1.19) fails a read without an identity if the type has one, even when the answer is that there is
 * no object. Terraform reports that error; a caller that looks for an object that may not exist needs to know.
 */
static bool has_found_nothing(const struct call *c, const struct read_response *response)
{
    for (size_t i = 0; i < c->found.n; i++)
        if (c->found.v[i].severity == DIAG_ERROR && !str_eqz(c->found.v[i].summary, "Missing Resource Identity After Read"))
            return false;
    return response->state && value_is_null(response->state);
}

enum engine_status engine_refresh(struct engine *e, const struct resource *r, const struct object *o,
                                  const struct resource_config *config, struct object *ret)
{
    if (!o->value) {
        *ret = *o;
        return ENGINE_OK;
    }
    struct read_request request = {
        .type_name = r->type,
        .state = o->value,
        .private = o->private,
        .provider_meta = engine_meta(e),
        .capabilities = engine_capabilities(),
        .identity = o->identity,
    };
    struct read_response response = {0};
    struct call c = call_start(e);
    enum provider_status status = provider_read(e->provider, e->arena, &request, &c.options, &c.found, &response);
    enum engine_status s = call_finish(&c, "ReadResource", status, config);
    if (s != ENGINE_OK) {
        e->found_nothing = s == ENGINE_FAILED && status == PROVIDER_OK && has_found_nothing(&c, &response);
        return s;
    }
    const struct value *v = engine_value(e, response.state, r->schema->type);
    if (!engine_check_deferred(e, r, response.deferred) ||
        !engine_check_write_only(e, r, v, "Provider produced invalid object", "during refresh"))
        return ENGINE_FAILED;
    if (!v->wholly_known)
        return engine_fail(e, "Provider produced invalid object",
                           "Provider \"" STR_FMT "\" planned an invalid value for " STR_FMT
                           " during refresh: The returned state contains unknown values.\n\n" BUG_IN_PROVIDER,
                           STR_ARG(e->provider_address), STR_ARG(r->address));
    if (value_is_null(v)) {
        *ret = (struct object){0};
        return ENGINE_OK;
    }
    v = change_normalise_legacy(e->arena, r->schema->block, v);
    struct object fresh = *o;
    fresh.value = v;
    fresh.private = response.private;
    fresh.identity = engine_identity(response.identity);
    fresh.sensitive = engine_marks(e, r, o->sensitive, v);
    *ret = fresh;
    return ENGINE_OK;
}
