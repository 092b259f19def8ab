/* resource.validate, resource.refresh, resource.upgrade, resource.import, resource.move, resource.list */
#include "jsonrpc/methods_private.h"
#include "value/json_value.h"

bool rpc_resource_validate(struct rpc_method *m)
{
    struct str provider = STR_EMPTY, type = STR_EMPTY;
    struct wanted wanted = {0};
    const struct rpc_param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"type", PARAM_TEXT, true, &type},
        {"config", PARAM_OBJECT, true, &wanted.config},
        {"config_unknown", PARAM_OBJECT, false, &wanted.unknown},
    };
    if (!PARAMS_READ(m->request, params) || !rpc_method_provider(m, provider) ||
        !rpc_check_config(m, wanted.config, wanted.unknown) || !rpc_method_borrow(m))
        return false;
    struct request q = rpc_method_request(m, type);
    if (!rpc_method_judge(m, request_validate(&q, &wanted)))
        return false;
    json_begin_object(m->w);
    return rpc_end_answer(m);
}

/* The parameters of resource.refresh and resource.upgrade: a stored object. */
struct stored_object {
    struct str provider, type;
    const struct json *json;
    const struct state_instance *stored;
};

static bool read_stored(struct rpc_method *m, struct stored_object *o)
{
    const struct rpc_param params[] = {
        {"provider", PARAM_TEXT, true, &o->provider},
        {"type", PARAM_TEXT, true, &o->type},
        {"state", PARAM_OBJECT, true, &o->json},
    };
    return PARAMS_READ(m->request, params) && rpc_method_provider(m, o->provider) && rpc_read_state(m, o->json, &o->stored) &&
           rpc_method_borrow(m);
}

bool rpc_resource_refresh(struct rpc_method *m)
{
    struct stored_object o = {0};
    if (!read_stored(m, &o))
        return false;
    struct request q = rpc_method_request(m, o.type);
    struct object now;
    enum engine_status s = request_refresh(&q, o.stored, NULL, &now);
    if (!rpc_method_judge(m, s))
        return false;
    json_begin_object(m->w);
    if (s == ENGINE_OK) {
        rpc_write_state(m, "state", &q.resource, &now);
    } else {
        /* The refresh failed: the caller should keep the stored object. */
        json_key(m->w, STR("state"));
        json_write(m->w, o.json);
    }
    return rpc_end_answer(m);
}

bool rpc_resource_upgrade(struct rpc_method *m)
{
    struct stored_object o = {0};
    if (!read_stored(m, &o))
        return false;
    struct request q = rpc_method_request(m, o.type);
    struct object upgraded;
    enum engine_status s = request_upgrade(&q, o.stored, &upgraded);
    if (!rpc_method_judge(m, s))
        return false;
    json_begin_object(m->w);
    rpc_write_state(m, "state", &q.resource, s == ENGINE_OK ? &upgraded : NULL);
    return rpc_end_answer(m);
}

static void write_imported(struct rpc_method *m, const struct imports *imports)
{
    json_key(m->w, STR("imported"));
    json_begin_array(m->w);
    for (size_t i = 0; i < imports->n; i++) {
        json_begin_object(m->w);
        json_key(m->w, STR("type"));
        json_write_string(m->w, imports->v[i].resource.type);
        rpc_write_state(m, "state", &imports->v[i].resource, &imports->v[i].object);
        json_end_object(m->w);
    }
    json_end_array(m->w);
}

bool rpc_resource_import(struct rpc_method *m)
{
    struct str provider = STR_EMPTY, type = STR_EMPTY;
    struct import_target target = {.id = {NULL, 0}};
    const struct rpc_param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"type", PARAM_TEXT, true, &type},
        {"id", PARAM_TEXT, false, &target.id},
        {"identity", PARAM_OBJECT, false, &target.identity},
    };
    if (!PARAMS_READ(m->request, params) || !rpc_method_provider(m, provider))
        return false;
    if (!target.id.p == !target.identity)
        return rpc_fail(m->request, RPC_WRONG_PARAMS, "id: either id or identity is required");
    if (!target.id.p)
        target.id = STR_EMPTY;
    if (!rpc_method_borrow(m))
        return false;
    struct request q = rpc_method_request(m, type);
    struct imports imports = {0};
    if (!rpc_method_judge(m, request_import(&q, &target, &imports)))
        return false;
    json_begin_object(m->w);
    write_imported(m, &imports);
    return rpc_end_answer(m);
}

bool rpc_resource_move(struct rpc_method *m)
{
    struct str provider = STR_EMPTY, type = STR_EMPTY, source_type = STR_EMPTY, source_provider = STR_EMPTY;
    const struct json *state = NULL;
    const struct rpc_param params[] = {
        {"provider", PARAM_TEXT, true, &provider},       {"type", PARAM_TEXT, true, &type},
        {"source_type", PARAM_TEXT, true, &source_type}, {"source_provider", PARAM_TEXT, true, &source_provider},
        {"state", PARAM_OBJECT, true, &state},
    };
    const struct state_instance *source;
    if (!PARAMS_READ(m->request, params) || !rpc_method_provider(m, provider) || !rpc_read_state(m, state, &source) ||
        !rpc_method_borrow(m))
        return false;
    struct request q = rpc_method_request(m, type);
    struct object moved;
    enum engine_status s = request_move(&q, source_provider, source_type, source, &moved);
    if (!rpc_method_judge(m, s))
        return false;
    json_begin_object(m->w);
    rpc_write_state(m, "state", &q.resource, s == ENGINE_OK ? &moved : NULL);
    return rpc_end_answer(m);
}

/* resource.list */

struct finding {
    struct rpc_method *method;
    const struct found *found;
};

static bool write_found(void *ctx, struct json_writer *w)
{
    struct finding *f = ctx;
    struct rpc_method *m = f->method;
    json_begin_object(w);
    json_key(w, STR("request"));
    json_write(w, m->request->message.id);
    json_key(w, STR("type"));
    json_write_string(w, f->found->resource->type);
    json_key(w, STR("identity"));
    if (!value_write_json(w, f->found->identity, f->found->identity->type, &m->diags))
        return false;
    json_key(w, STR("display_name"));
    json_write_string(w, f->found->display_name);
    if (f->found->object.value) {
        json_key(w, STR("state"));
        if (!object_write_json(w, &m->engine, f->found->resource, &f->found->object))
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

bool rpc_resource_list(struct rpc_method *m)
{
    struct str provider = STR_EMPTY, type = STR_EMPTY;
    struct list_options options = {0};
    const struct json *config = NULL;
    const struct rpc_param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"type", PARAM_TEXT, true, &type},
        {"config", PARAM_OBJECT, false, &config},
        {"limit", PARAM_COUNT, false, &options.limit},
        {"include_resource", PARAM_BOOL, false, &options.include_resource},
    };
    if (!PARAMS_READ(m->request, params) || !rpc_method_provider(m, provider) || !rpc_method_borrow(m))
        return false;
    struct request q = rpc_method_request(m, type);
    struct finding finding = {.method = m};
    size_t count = 0;
    if (!config)
        config = json_make_object(m->arena, NULL, 0);
    if (!rpc_method_judge(m, request_list(&q, config, &options, on_found, &finding, &count)))
        return false;
    json_begin_object(m->w);
    json_key(m->w, STR("count"));
    json_write_int(m->w, (int64_t)count);
    return rpc_end_answer(m);
}
