/* Converts an object of one type to another: the provider of the new type does the conversion. */
#include "engine/call_private.h"
#include "engine/upgrade_private.h"

static bool check_moved(struct engine *e, const struct resource *r, const struct value *v)
{
    struct change_paths paths = change_write_only(e->arena, r->schema->block, v);
    for (size_t i = 0; i < paths.n; i++)
        (void)engine_fail(e, "Provider returned invalid value",
                          "The provider %s returned a value for the write-only attribute \"" STR_FMT STR_FMT
                          "\" during an across type move operation to " STR_FMT
                          ". Write-only attributes cannot be read back from the provider. " BUG_IN_PROVIDER,
                          engine_provider_text(e), STR_ARG(r->address), STR_ARG(change_path_text(e->arena, paths.v[i])),
                          STR_ARG(r->address));
    if (paths.n == 0 && (value_is_null(v) || !v->wholly_known))
        (void)engine_fail(e, "Provider returned invalid value",
                          "The provider returned an invalid value during an across type move operation to " STR_FMT
                          ". This is a bug in the relevant provider; Please report it.",
                          STR_ARG(r->address));
    return paths.n == 0 && !value_is_null(v) && v->wholly_known;
}

enum engine_status engine_move(struct engine *e, const struct resource *r, struct str source_provider, struct str source_type,
                               const struct state_instance *source, struct object *ret)
{
    struct move_request request = {
        .source_provider_address = source_provider,
        .source_type_name = source_type,
        .source_schema_version = (int64_t)source->schema_version,
        .target_type_name = r->type,
        .source_private = source->private_bytes,
        .source_identity_schema_version = (int64_t)source->identity_schema_version,
    };
    if (!upgrade_raw_state(e, source, NULL, &request.source_state) ||
        (source->identity && !upgrade_raw_json(e, source->identity, NULL, &request.source_identity.json)))
        return ENGINE_FAILED;
    if (!e->schema->capabilities.move_resource_state)
        return engine_fail(e, "Move not supported",
                           "The provider \"" STR_FMT "\" does not support moving objects of other types to " STR_FMT ".",
                           STR_ARG(e->provider_address), STR_ARG(r->type));
    struct move_response response;
    struct call c = call_start(e);
    enum provider_status status = provider_move(e->provider, e->arena, &request, &c.options, &c.found, &response);
    enum engine_status s = call_finish(&c, "MoveResourceState", status, NULL);
    if (s != ENGINE_OK)
        return s;
    const struct value *v = engine_value(e, response.state, r->schema->type);
    if (!check_moved(e, r, v))
        return ENGINE_FAILED;
    *ret = (struct object){
        .value = v,
        .identity = engine_identity(response.identity),
        .private = response.private,
        .sensitive = engine_marks(e, r, (struct marks){0}, v),
        .tainted = source->tainted,
    };
    return ENGINE_OK;
}
