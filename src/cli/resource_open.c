/* What all `terrane resource` commands have in common: the object in the state, its provider, storing the object. */
#include "cli/resource.h"

const struct state_resource *resource_in_state(const struct resource_run *run)
{
    return run->work.state ? state_find_resource(run->work.state, &run->address) : NULL;
}

const struct state_instance *object_in_state(const struct resource_run *run, const struct state_address *address)
{
    const struct state_instance *object = run->work.state ? state_find(run->work.state, address) : NULL;
    return object && !state_is_null(object) ? object : NULL;
}

/* In OpenTofu each instance of a resource may have its own provider; then the resource has none. */
struct str provider_in_state(const struct resource_run *run)
{
    const struct state_resource *r = resource_in_state(run);
    const struct state_instance *object = run->work.state ? state_find(run->work.state, &run->address) : NULL;
    if (object && object->provider.n > 0)
        return object->provider;
    return r ? r->provider : STR_EMPTY;
}

/* Diagnostics about the provider's configuration were reported when it was opened. */
struct request resource_request(struct resource_run *run)
{
    return (struct request){
        .engine = &run->work.engine,
        .type = run->address.type,
        .name = run->address.name,
        .address = run->text,
    };
}

bool resource_open(struct resource_run *run)
{
    struct request q = resource_request(run);
    if (!work_provider(&run->work, run->address.type, provider_in_state(run)) || !request_find(&q))
        return false;
    run->resource = q.resource;
    return true;
}

bool resource_store(struct resource_run *run, const struct state_address *address, const struct object *object)
{
    struct work *w = &run->work;
    if (!object->value) {
        (void)state_remove(w->state, address);
        return true;
    }
    struct state_instance instance;
    if (!engine_store(&w->engine, &run->resource, object, &instance))
        return false;
    const struct state_resource *r = state_find_resource(w->state, address);
    const struct state_instance *old = state_find(w->state, address);
    if (old)
        instance.provider = old->provider;
    else if (r && r->provider.n == 0)
        instance.provider = w->provider_text;
    /* An existing resource keeps its provider, also for its other instances. */
    state_put(w->state, address, r ? STR_EMPTY : w->provider_text, &instance);
    return true;
}

struct text_object resource_text_object(const struct resource_run *run, const struct state_address *address)
{
    return (struct text_object){
        .address = run->text,
        .type = address->type,
        .name = address->name,
        .deposed = address->deposed,
        .schema = run->resource.schema->block,
    };
}
