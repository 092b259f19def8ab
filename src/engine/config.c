#include "base/vec.h"
#include "engine/call_private.h"

/*
 * The configuration with a placeholder where a value is not known yet, since a diagnostic may point there. The shapes of both
 * trees have been compared before.
 */
static const struct json *with_unknown(struct arena *a, const struct json *config, const struct json *unknown);

static const struct json *object_with_unknown(struct arena *a, const struct json *config, const struct json *unknown)
{
    VEC(struct json_member) members = {0};
    for (size_t i = 0; config && i < config->object.n; i++) {
        struct json_member m = config->object.members[i];
        m.value = with_unknown(a, m.value, json_get_str(unknown, m.key));
        *VEC_PUSH(a, &members) = m;
    }
    for (size_t i = 0; i < unknown->object.n; i++)
        if (!config || !json_get_str(config, unknown->object.members[i].key))
            *VEC_PUSH(a, &members) = (struct json_member){
                .key = unknown->object.members[i].key,
                .value = with_unknown(a, NULL, unknown->object.members[i].value),
            };
    return json_make_object(a, members.v, members.n);
}

static const struct json *array_with_unknown(struct arena *a, const struct json *config, const struct json *unknown)
{
    size_t given = config ? config->array.n : 0, n = given > unknown->array.n ? given : unknown->array.n;
    const struct json **items = arena_make_n(a, const struct json *, n);
    for (size_t i = 0; i < n; i++)
        items[i] =
            with_unknown(a, i < given ? config->array.items[i] : NULL, i < unknown->array.n ? unknown->array.items[i] : NULL);
    return json_make_array(a, items, n);
}

static const struct json *with_unknown(struct arena *a, const struct json *config, const struct json *unknown)
{
    if (json_bool(unknown, false))
        return json_make_string(a, STR("(not known yet)"));
    if (config && config->kind == JSON_NULL)
        config = NULL;
    if (unknown && unknown->kind == JSON_OBJECT && (!config || config->kind == JSON_OBJECT))
        return object_with_unknown(a, config, unknown);
    if (unknown && unknown->kind == JSON_ARRAY && (!config || config->kind == JSON_ARRAY))
        return array_with_unknown(a, config, unknown);
    return config ? config : json_make_null(a);
}

bool engine_config(struct engine *e, const struct resource *r, const struct json *json, const struct json *unknown,
                   struct resource_config *ret)
{
    const struct value *value = change_config_read(e->arena, r->schema->block, json, unknown, e->diags);
    if (value)
        *ret = (struct resource_config){.value = value, .json = unknown ? with_unknown(e->arena, json, unknown) : json};
    return value != NULL;
}
