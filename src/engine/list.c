/* Lists the objects that the provider finds, whether they are managed or not. */
#include "engine/call_private.h"

struct listing {
    struct engine *engine;
    struct str address;
    struct resource resource; /* the managed type of the same name */
    const struct list_options *options;
    engine_found_fn *on_found;
    void *ctx;
    size_t count, limit;
    bool enough;
};

static bool on_event(void *ctx, const struct list_event *event)
{
    struct listing *l = ctx;
    for (size_t i = 0; i < event->diags->n; i++)
        engine_add(l->engine, &event->diags->v[i]);
    if (diags_has_errors(event->diags))
        return true;
    if (!event->identity) {
        if (event->diags->n == 0) /* otherwise the event has only a warning, and no object */
            (void)engine_fail(l->engine, "Missing identity",
                              "The provider found an object for " STR_FMT
                              " and did not say which one: it has no identity.\n\n" BUG_IN_PROVIDER,
                              STR_ARG(l->address));
        return true;
    }
    struct found found = {.resource = &l->resource, .display_name = event->display_name, .identity = event->identity};
    if (event->resource && !value_is_null(event->resource) && l->options->include_resource)
        found.object = (struct object){
            .value = event->resource,
            .identity = event->identity,
            .sensitive = engine_marks(l->engine, &l->resource, (struct marks){0}, event->resource),
        };
    l->count++;
    l->enough = !l->on_found(l->ctx, &found) || l->count >= l->limit;
    return !l->enough;
}

static enum engine_status validate(struct engine *e, const struct resource *r, const struct list_options *options, int64_t limit)
{
    struct validate_list_request request = {
        .type_name = r->type,
        .config = options->config.value,
        .include_resource = value_bool(e->arena, options->include_resource),
        .limit = value_int(e->arena, limit),
    };
    struct call c = call_start(e);
    enum provider_status status = provider_validate_list(e->provider, e->arena, &request, &c.options, &c.found);
    return call_finish(&c, "ValidateListResourceConfig", status, &options->config);
}

enum engine_status engine_list(struct engine *e, const struct resource *list, const struct list_options *options,
                               engine_found_fn *on_found, void *ctx, size_t *ret_count)
{
    int64_t limit = options->limit > 0 ? options->limit : LIST_DEFAULT_LIMIT;
    struct listing l = {
        .engine = e, .address = list->address, .options = options, .on_found = on_found, .ctx = ctx, .limit = (size_t)limit};
    struct str name = str_slice(list->address, strlen("list.") + list->type.n + 1, list->address.n);
    if (!engine_resource(e, list->type, name, &l.resource))
        return ENGINE_FAILED;
    enum engine_status s = validate(e, list, options, limit);
    if (s != ENGINE_OK)
        return s;
    struct list_request request = {
        .type_name = list->type,
        .config = options->config.value,
        .include_resource = options->include_resource,
        .limit = limit,
    };
    size_t errors = e->diags->n_errors;
    struct call c = call_start(e);
    enum provider_status status = provider_list(e->provider, &request, &c.options, &c.found, on_event, &l);
    if (l.enough) /* we ended the stream, so its status does not matter */
        s = ENGINE_OK;
    else
        s = call_finish(&c, "ListResource", status, &options->config);
    *ret_count = l.count;
    return s == ENGINE_OK && e->diags->n_errors > errors ? ENGINE_FAILED : s;
}
