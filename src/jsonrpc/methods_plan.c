/* resource.plan, resource.apply */
#include "jsonrpc/methods_private.h"

/* resource.plan */

struct plan_params {
    struct str provider, type;
    const struct json *config, *unknown, *state, *ignore;
    bool refresh, replace;
};

static bool read_params(struct method *m, struct plan_params *p)
{
    const struct param params[] = {
        {"provider", PARAM_TEXT, true, &p->provider},       {"type", PARAM_TEXT, true, &p->type},
        {"config", PARAM_OBJECT, false, &p->config},        {"config_unknown", PARAM_OBJECT, false, &p->unknown},
        {"state", PARAM_OBJECT, false, &p->state},          {"refresh", PARAM_BOOL, false, &p->refresh},
        {"ignore_changes", PARAM_ARRAY, false, &p->ignore}, {"replace", PARAM_BOOL, false, &p->replace},
    };
    return PARAMS_READ(m->request, params) && method_provider(m, p->provider) &&
           (!p->config || check_config(m, p->config, p->unknown));
}

static bool read_ignored(struct method *m, const struct resource *r, const struct json *ignore, struct change_paths *ret)
{
    size_t n = ignore ? ignore->array.n : 0;
    struct path *paths = arena_make_n(m->arena, struct path, n);
    for (size_t i = 0; i < n; i++)
        if (!change_path_read(m->arena, r->schema->block, ignore->array.items[i], &paths[i]) || paths[i].n == 0)
            return rpc_fail(m->request, RPC_WRONG_PARAMS,
                            "ignore_changes: element %zu is no path, an array of names, keys and indexes", i);
    *ret = (struct change_paths){paths, n};
    return true;
}

/* Core's rules first, all of them, then the provider's opinion: complaints about the configuration come together. */
static enum engine_status prepare(struct method *m, const struct resource *r, const struct plan_params *p,
                                  const struct plan_options *options, struct config *ret)
{
    if (!p->config) {
        *ret = (struct config){.value = value_null(m->arena, r->schema->type)};
        return ENGINE_OK;
    }
    if (!change_check_references(r->schema->block, options->ignore, &m->diags) ||
        !engine_config(&m->engine, r, p->config, p->unknown, ret))
        return ENGINE_FAILED;
    if (change_check_ignored(r->schema->block, options->ignore, &m->diags))
        return ENGINE_OK;
    enum engine_status s = engine_validate(&m->engine, r, ret);
    return s == ENGINE_OK ? ENGINE_FAILED : s;
}

static bool write_plan(struct method *m, const struct resource *r, const struct plan *plan, bool complete)
{
    struct buf text BUF_AUTO = BUF_INIT(RPC_MAX_LINE - 4096);
    struct plan_header header = {
        .handle = m->provider->handle.number,
        .sequence = plan_bits_new(&m->provider->plans),
        .complete = complete,
        .type = r->type,
    };
    if (!plan_write_json(m->w, &m->engine, r, plan) ||
        !plan_seal(&text, &m->rpc->key, &header, m->lease.schema, r, plan, &m->diags))
        return false;
    json_key(m->w, STR("plan"));
    json_write_string(m->w, buf_str(&text));
    return !m->w->failed;
}

static enum engine_status make_plan(struct method *m, const struct plan_params *p, const struct resource *r,
                                    const struct state_instance *stored, struct plan *ret)
{
    struct plan_options options = {.no_refresh = !p->refresh, .replace = p->replace};
    struct config config;
    if (!read_ignored(m, r, p->config ? p->ignore : NULL, &options.ignore))
        return ENGINE_FAILED;
    enum engine_status s = prepare(m, r, p, &options, &config);
    return s == ENGINE_OK ? engine_plan(&m->engine, r, stored, &config, &options, ret) : s;
}

bool resource_plan(struct method *m)
{
    struct plan_params p = {.refresh = true};
    const struct state_instance *stored;
    if (!read_params(m, &p) || !read_state(m, p.state, &stored) || !method_borrow(m))
        return false;
    /* For nothing at all the provider is not used. */
    if (p.config || stored)
        method_warnings(m);
    struct resource r;
    struct plan plan;
    enum engine_status s = ENGINE_FAILED;
    if (p.config ? engine_resource(&m->engine, p.type, RESOURCE_NAME, &r) : stored_resource(m, p.type, &r))
        s = make_plan(m, &p, &r, stored, &plan);
    if (m->request->error.code || !method_judge(m, s))
        return false;
    json_begin_object(m->w);
    struct writer_mark mark = writer_mark(m->w);
    bool complete = !p.unknown || p.unknown->object.n == 0;
    if (s == ENGINE_OK && !write_plan(m, &r, &plan, complete))
        writer_back(m->w, &mark);
    return end_answer(m);
}

/* resource.apply */

/* The caller's cancellation: the provider is asked to stop, and what it then says is the result. */
struct stop {
    struct lease *lease;
    int64_t grace_ns;
};

static void on_cancel(void *arg)
{
    struct stop *stop = arg;
    lease_stop(stop->lease, stop->grace_ns);
}

static enum engine_status apply(struct method *m, const struct resource *r, const struct plan *plan, struct applied *ret)
{
    struct stop stop = {&m->lease, m->rpc->options.grace_ns};
    struct cancel_watch watch = {.fn = on_cancel, .arg = &stop};
    cancel_watch(m->request->cancel, &watch);
    enum engine_status s = engine_apply(&m->engine, r, plan, ret);
    cancel_unwatch(m->request->cancel, &watch);
    return s;
}

/* A plan that this handle made, that can be applied, and was not; it is taken. */
static bool take_plan(struct method *m, struct str text, struct sealed_plan *ret)
{
    if (!plan_unseal(m->arena, &m->rpc->key, text, ret) || ret->header.handle != m->provider->handle.number)
        return no_such_handle(m, text);
    if (!ret->header.complete)
        return rpc_fail(m->request, RPC_WRONG_PARAMS, "plan: it was made with config_unknown");
    return plan_bits_take(&m->provider->plans, ret->header.sequence) || no_such_handle(m, text);
}

/* Nothing has happened: the plan is as good as before. */
static bool not_applied(struct method *m, const struct sealed_plan *sealed)
{
    plan_bits_give_back(&m->provider->plans, sealed->header.sequence);
    return rpc_fail(m->request, RPC_CANCELLED, "cancelled");
}

bool resource_apply(struct method *m)
{
    struct str provider = STR_EMPTY, text = STR_EMPTY;
    const struct param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"plan", PARAM_TEXT, true, &text},
    };
    struct sealed_plan sealed;
    if (!PARAMS_READ(m->request, params) || !method_provider(m, provider) || !take_plan(m, text, &sealed))
        return false;
    enum engine_status s = method_lease(m);
    if (s == ENGINE_CANCELLED)
        return not_applied(m, &sealed);
    method_warnings(m);
    struct resource r;
    struct plan plan;
    if (!engine_resource(&m->engine, sealed.header.type, RESOURCE_NAME, &r) ||
        !plan_decode(m->arena, &m->rpc->key, &sealed, m->engine.schema, &r, &plan))
        return no_such_handle(m, text);
    struct applied applied = {.object = plan.prior};
    if (s == ENGINE_OK)
        s = apply(m, &r, &plan, &applied);
    else
        plan_bits_give_back(&m->provider->plans, sealed.header.sequence);
    if (s != ENGINE_OK && !applied.called && cancel_fired(m->request->cancel))
        return not_applied(m, &sealed);
    json_begin_object(m->w);
    write_state(m, "state", &r, &applied.object);
    return end_answer(m);
}
