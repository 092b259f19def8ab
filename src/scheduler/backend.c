/* Code shared by all backends. */
#include "scheduler/backend.h"

static bool same_json(const struct json *a, const struct json *b)
{
    return a && b ? json_eq(a, b) : a == b;
}

static bool same_object(const struct state_instance *a, const struct state_instance *b)
{
    return a->schema_version == b->schema_version && a->tainted == b->tainted && str_eq(a->private_bytes, b->private_bytes) &&
           same_json(a->identity, b->identity) && same_json(a->attributes, b->attributes);
}

void observation_note(struct observation *o, const struct scheduler_item *item, const struct state_instance *now)
{
    const struct state_instance *stored = item->stored;
    o->seen = true;
    o->exists = now != NULL;
    if (now)
        o->object = *now;
    o->changed = now && stored ? !same_object(stored, now) : now != stored;
}
