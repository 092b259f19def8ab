/* What all `terrane resource` commands begin and end with: the object in the state, its provider, storing it. */
#include "cli/resource.h"

const struct state_resource *resource_in_state(const struct resource_run *run)
{
    return run->work.state ? state_find_resource(run->work.state, &run->address) : NULL;
}

const struct state_instance *object_in_state(const struct resource_run *run, const struct state_address *address)
{
    return run->work.state ? state_find(run->work.state, address) : NULL;
}

/* OpenTofu lets each instance of a resource have its own; then the resource has none. */
struct str provider_in_state(const struct resource_run *run)
{
    const struct state_resource *r = resource_in_state(run);
    const struct state_instance *object = object_in_state(run, &run->address);
    if (object && object->provider.n > 0)
        return object->provider;
    return r ? r->provider : STR_EMPTY;
}

bool resource_open(struct resource_run *run)
{
    struct work *w = &run->work;
    if (!work_provider(w, run->address.type, provider_in_state(run)) ||
        !engine_resource(&w->engine, run->address.type, run->address.name, &run->resource))
        return false;
    run->resource.address = run->text;
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
    bool own = r && r->provider.n == 0;
    instance.provider = own ? w->provider_text : STR_EMPTY;
    state_put(w->state, address, own ? STR_EMPTY : w->provider_text, &instance);
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
