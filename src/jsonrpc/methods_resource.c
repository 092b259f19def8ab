/* resource.validate, resource.refresh, resource.upgrade, resource.import, resource.move, resource.list */
#include "jsonrpc/methods_private.h"
#include "value/json_value.h"

bool resource_validate(struct method *m)
{
    struct str provider = STR_EMPTY, type = STR_EMPTY;
    const struct json *config = NULL, *unknown = NULL;
    const struct param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"type", PARAM_TEXT, true, &type},
        {"config", PARAM_OBJECT, true, &config},
        {"config_unknown", PARAM_OBJECT, false, &unknown},
    };
    if (!PARAMS_READ(m->request, params) || !method_provider(m, provider) || !check_config(m, config, unknown) ||
        !method_borrow(m))
        return false;
    method_warnings(m);
    struct resource r;
    struct config c;
    if (engine_resource(&m->engine, type, RESOURCE_NAME, &r) && engine_config(&m->engine, &r, config, unknown, &c) &&
        !method_judge(m, engine_validate(&m->engine, &r, &c)))
        return false;
    json_begin_object(m->w);
    return end_answer(m);
}

/* What resource.refresh and resource.upgrade take: an object that is stored. */
struct stored_object {
    struct str provider, type;
    const struct json *json;
    const struct state_instance *stored;
    struct resource resource;
};

static bool read_stored(struct method *m, struct stored_object *o)
{
    const struct param params[] = {
        {"provider", PARAM_TEXT, true, &o->provider},
        {"type", PARAM_TEXT, true, &o->type},
        {"state", PARAM_OBJECT, true, &o->json},
    };
    if (!PARAMS_READ(m->request, params) || !method_provider(m, o->provider) || !read_state(m, o->json, &o->stored) ||
        !method_borrow(m))
        return false;
    method_warnings(m);
    return true;
}

bool resource_refresh(struct method *m)
{
    struct stored_object o = {0};
    if (!read_stored(m, &o))
        return false;
    struct object now = {0};
    enum engine_status s = ENGINE_FAILED;
    if (stored_resource(m, o.type, &o.resource))
        s = engine_upgrade(&m->engine, &o.resource, o.stored, NULL, &now);
    if (s == ENGINE_OK)
        s = engine_refresh(&m->engine, &o.resource, &now, NULL, &now);
    if (!method_judge(m, s))
        return false;
    json_begin_object(m->w);
    if (s == ENGINE_OK) {
        write_state(m, "state", &o.resource, &now);
    } else {
        /* Nothing new is known: what was stored is still to be stored. */
        json_key(m->w, STR("state"));
        json_write(m->w, o.json);
    }
    return end_answer(m);
}

bool resource_upgrade(struct method *m)
{
    struct stored_object o = {0};
    if (!read_stored(m, &o))
        return false;
    struct object upgraded = {0};
    enum engine_status s = ENGINE_FAILED;
    if (stored_resource(m, o.type, &o.resource))
        s = engine_upgrade(&m->engine, &o.resource, o.stored, NULL, &upgraded);
    if (!method_judge(m, s))
        return false;
    json_begin_object(m->w);
    write_state(m, "state", &o.resource, s == ENGINE_OK ? &upgraded : NULL);
    return end_answer(m);
}

static void write_imported(struct method *m, const struct imports *imports)
{
    json_key(m->w, STR("imported"));
    json_begin_array(m->w);
    for (size_t i = 0; i < imports->n; i++) {
        json_begin_object(m->w);
        json_key(m->w, STR("type"));
        json_write_string(m->w, imports->v[i].resource.type);
        write_state(m, "state", &imports->v[i].resource, &imports->v[i].object);
        json_end_object(m->w);
    }
    json_end_array(m->w);
}

bool resource_import(struct method *m)
{
    struct str provider = STR_EMPTY, type = STR_EMPTY;
    struct import_target target = {.id = {NULL, 0}};
    const struct param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"type", PARAM_TEXT, true, &type},
        {"id", PARAM_TEXT, false, &target.id},
        {"identity", PARAM_OBJECT, false, &target.identity},
    };
    if (!PARAMS_READ(m->request, params) || !method_provider(m, provider))
        return false;
    if (!target.id.p == !target.identity)
        return rpc_fail(m->request, RPC_WRONG_PARAMS, "id: either it or identity is needed");
    if (!target.id.p)
        target.id = STR_EMPTY;
    if (!method_borrow(m))
        return false;
    method_warnings(m);
    struct resource r;
    struct imports imports = {0};
    if (imported_resource(m, type, &r) && !method_judge(m, engine_import(&m->engine, &r, &target, &imports)))
        return false;
    json_begin_object(m->w);
    write_imported(m, &imports);
    return end_answer(m);
}

bool resource_move(struct method *m)
{
    struct str provider = STR_EMPTY, type = STR_EMPTY, source_type = STR_EMPTY, source_provider = STR_EMPTY;
    const struct json *state = NULL;
    const struct param params[] = {
        {"provider", PARAM_TEXT, true, &provider},       {"type", PARAM_TEXT, true, &type},
        {"source_type", PARAM_TEXT, true, &source_type}, {"source_provider", PARAM_TEXT, true, &source_provider},
        {"state", PARAM_OBJECT, true, &state},
    };
    const struct state_instance *source;
    if (!PARAMS_READ(m->request, params) || !method_provider(m, provider) || !read_state(m, state, &source) || !method_borrow(m))
        return false;
    method_warnings(m);
    struct resource r;
    struct object moved = {0};
    enum engine_status s = ENGINE_FAILED;
    if (engine_resource(&m->engine, type, RESOURCE_NAME, &r))
        s = engine_move(&m->engine, &r, source_provider, source_type, source, &moved);
    if (!method_judge(m, s))
        return false;
    json_begin_object(m->w);
    write_state(m, "state", &r, s == ENGINE_OK ? &moved : NULL);
    return end_answer(m);
}

/* resource.list */

struct finding {
    struct method *method;
    struct resource resource; /* the managed type of the same name */
    const struct found *found;
};

static bool write_found(void *ctx, struct json_writer *w)
{
    struct finding *f = ctx;
    struct method *m = f->method;
    json_begin_object(w);
    json_key(w, STR("request"));
    json_write(w, m->request->message.id);
    json_key(w, STR("type"));
    json_write_string(w, f->resource.type);
    json_key(w, STR("identity"));
    if (!value_write_json(w, f->found->identity, f->found->identity->type, &m->diags))
        return false;
    json_key(w, STR("display_name"));
    json_write_string(w, f->found->display_name);
    if (f->found->object.value) {
        json_key(w, STR("state"));
        if (!object_write_json(w, &m->engine, &f->resource, &f->found->object))
            return false;
    }
    json_end_object(w);
    return true;
}

static bool on_found(void *ctx, const struct found *found)
{
    struct finding *f = ctx;
    f->found = found;
    return rpc_notify(f->method->request, STR("resource.found"), write_found, f);
}

bool resource_list(struct method *m)
{
    struct str provider = STR_EMPTY, type = STR_EMPTY;
    struct list_options options = {0};
    const struct json *config = NULL;
    const struct param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"type", PARAM_TEXT, true, &type},
        {"config", PARAM_OBJECT, false, &config},
        {"limit", PARAM_COUNT, false, &options.limit},
        {"include_resource", PARAM_BOOL, false, &options.include_resource},
    };
    if (!PARAMS_READ(m->request, params) || !method_provider(m, provider) || !method_borrow(m))
        return false;
    method_warnings(m);
    struct resource list;
    struct finding finding = {.method = m};
    size_t count = 0;
    if (!config)
        config = json_make_object(m->arena, NULL, 0);
    if (engine_list_resource(&m->engine, type, RESOURCE_NAME, &list) &&
        engine_config(&m->engine, &list, config, NULL, &options.config) &&
        engine_resource(&m->engine, type, RESOURCE_NAME, &finding.resource) &&
        !method_judge(m, engine_list(&m->engine, &list, &options, on_found, &finding, &count)))
        return false;
    json_begin_object(m->w);
    json_key(m->w, STR("count"));
    json_write_int(m->w, (int64_t)count);
    return end_answer(m);
}
