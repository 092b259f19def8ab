/* Converts an object to the form of a state file. */
#include "engine/call_private.h"
#include "state/state_value.h"

bool engine_store_but_attributes(struct engine *e, const struct resource *r, const struct object *o, struct state_instance *ret)
{
    struct state_instance s = {0};
    if (o->stored)
        s = *o->stored;
    s.schema_version = (uint64_t)r->schema->version;
    s.private_bytes = o->private;
    s.tainted = o->tainted;
    s.create_before_destroy = o->create_before_destroy;
    state_set_sensitive(e->arena, &s, o->sensitive);
    if (r->identity) {
        const struct value *identity = engine_value(e, o->identity, r->identity->type);
        if (!state_set_identity(e->arena, &s, identity, r->identity->type, (uint64_t)r->identity->version, e->diags))
            return false;
    }
    *ret = s;
    return true;
}

bool engine_store(struct engine *e, const struct resource *r, const struct object *o, struct state_instance *ret)
{
    struct state_instance s;
    if (!engine_store_but_attributes(e, r, o, &s) || !state_set_attributes(e->arena, &s, o->value, r->schema->type, e->diags))
        return false;
    *ret = s;
    return true;
}
