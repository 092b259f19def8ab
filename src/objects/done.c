#include "objects/done.h"

bool done_add(struct done *d, const struct json *object, const char *result)
{
    struct arena *a = d->o->app->arena;
    if (!d->json)
        return app_print(d->o->app, arena_printf(a, STR_FMT " %s\n", STR_ARG(objects_name(a, object)), result));
    struct store_key key = object_key(object);
    struct json_member members[] = {
        {.key = STR("apiVersion"),
         .value = json_make_string(a, arena_str(a, json_text(json_get(object, "apiVersion"), STR_EMPTY)))},
        {.key = STR("kind"), .value = json_make_string(a, arena_str(a, key.kind))},
        {.key = STR("namespace"), .value = json_make_string(a, arena_str(a, key.namespace))},
        {.key = STR("name"), .value = json_make_string(a, arena_str(a, key.name))},
        {.key = STR("result"), .value = json_make_string(a, str_of(result))},
    };
    *VEC_PUSH(a, &d->list) = json_make_object(a, members, sizeof members / sizeof *members);
    return true;
}

bool done_end(struct done *d)
{
    struct app *app = d->o->app;
    return !d->json || app_print_json(app, json_make_array(app->arena, d->list.v, d->list.n));
}
