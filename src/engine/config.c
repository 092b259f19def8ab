#include "engine/call.h"

bool engine_config(struct engine *e, const struct resource *r, const struct json *json, const struct json *unknown,
                   struct config *ret)
{
    const struct value *value = change_config_read(e->arena, r->schema->block, json, unknown, e->diags);
    if (value)
        *ret = (struct config){.value = value, .json = json};
    return value != NULL;
}
