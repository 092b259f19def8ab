/* resource.plan, resource.apply */
#include "jsonrpc/methods_private.h"

/* resource.plan */

struct plan_params {
    struct str provider, type;
    const struct json *config, *unknown, *state, *ignore;
    bool refresh, replace;
};

static bool check_ignored(struct rpc_method *m, const struct json *ignore)
{
    for (size_t i = 0; ignore && i < ignore->array.n; i++)
        if (!change_path_fits(ignore->array.items[i]))
            return rpc_fail(m->request, RPC_WRONG_PARAMS,
                            "ignore_changes: element %zu is not a path, an array of names, keys and indexes", i);
    return true;
}

static bool read_params(struct rpc_method *m, struct plan_params *p)
{
    const struct rpc_param params[] = {
        {"provider", PARAM_TEXT, true, &p->provider},       {"type", PARAM_TEXT, true, &p->type},
        {"config", PARAM_OBJECT, false, &p->config},        {"config_unknown", PARAM_OBJECT, false, &p->unknown},
        {"state", PARAM_OBJECT, false, &p->state},          {"refresh", PARAM_BOOL, false, &p->refresh},
        {"ignore_changes", PARAM_ARRAY, false, &p->ignore}, {"replace", PARAM_BOOL, false, &p->replace},
    };
    return PARAMS_READ(m->request, params) && rpc_method_provider(m, p->provider) &&
           (!p->config || (rpc_check_config(m, p->config, p->unknown) && check_ignored(m, p->ignore)));
}

static bool write_plan(struct rpc_method *m, const struct resource *r, const struct plan *plan, bool complete)
{
    struct buf text BUF_AUTO = BUF_INIT(RPC_MAX_LINE - 4096);
    struct rpc_plan_header header = {
        .handle = m->provider->handle.number,
        .sequence = rpc_plan_bits_new(&m->provider->plans),
        .complete = complete,
        .type = r->type,
    };
    if (!plan_write_json(m->w, &m->engine, r, plan) ||
        !rpc_plan_seal(&text, &m->rpc->key, &header, m->lease.schema, r, plan, &m->diags))
        return false;
    json_key(m->w, STR("plan"));
    json_write_string(m->w, buf_str(&text));
    return !m->w->failed;
}

bool rpc_resource_plan(struct rpc_method *m)
{
    struct plan_params p = {.refresh = true};
    const struct state_instance *stored;
    if (!read_params(m, &p) || !rpc_read_state(m, p.state, &stored) || !rpc_method_borrow(m))
        return false;
    struct request q = rpc_method_request(m, p.type);
    struct wanted wanted = {
        .config = p.config, .unknown = p.unknown, .ignore = p.ignore, .replace = p.replace, .no_refresh = !p.refresh};
    struct plan plan;
    enum engine_status s = request_plan(&q, stored, &wanted, &plan);
    if (!rpc_method_judge(m, s))
        return false;
    json_begin_object(m->w);
    struct json_mark mark = json_mark(m->w);
    bool complete = !p.unknown || p.unknown->object.n == 0;
    if (s == ENGINE_OK && !write_plan(m, &q.resource, &plan, complete))
        json_back(m->w, &mark);
    return rpc_end_answer(m);
}

/* resource.apply */

/* When the caller cancels, the provider is asked to stop, and what it then returns is the result. */
struct stop {
    struct lease *lease;
    int64_t grace_ns;
};

static void on_cancel(void *arg)
{
    struct stop *stop = arg;
    lease_stop(stop->lease, stop->grace_ns);
}

static enum engine_status apply(struct rpc_method *m, struct request *q, const struct plan *plan, struct applied *ret)
{
    struct stop stop = {&m->lease, m->rpc->options.grace_ns};
    struct cancel_watch watch = {.fn = on_cancel, .arg = &stop};
    cancel_watch(m->request->cancel, &watch);
    enum engine_status s = request_apply(q, plan, ret);
    cancel_unwatch(m->request->cancel, &watch);
    return s;
}

/* Takes a plan that was made with this handle, can be applied, and has not been applied. */
static bool take_plan(struct rpc_method *m, struct str text, struct rpc_sealed_plan *ret, struct rpc_plan_hold *ret_hold)
{
    if (!rpc_plan_unseal(m->arena, &m->rpc->key, text, ret) || ret->header.handle != m->provider->handle.number)
        return rpc_no_such_handle(m, text);
    if (!ret->header.complete)
        return rpc_fail(m->request, RPC_WRONG_PARAMS, "plan: it was made with config_unknown");
    return rpc_plan_bits_take(&m->provider->plans, ret->header.sequence, ret_hold) || rpc_no_such_handle(m, text);
}

static bool apply_taken(struct rpc_method *m, struct str text, const struct rpc_sealed_plan *sealed, struct rpc_plan_hold *hold)
{
    enum engine_status s = rpc_method_lease(m);
    if (s != ENGINE_OK)
        rpc_plan_give_back(hold); /* the provider was not called, so the plan may be applied later */
    if (s == ENGINE_CANCELLED)
        return rpc_method_judge(m, s);
    struct request q = rpc_method_request(m, sealed->header.type);
    struct plan plan;
    if (!request_find(&q) || !rpc_plan_decode(m->arena, &m->rpc->key, sealed, m->engine.schema, &q.resource, &plan))
        return rpc_no_such_handle(m, text);
    struct applied applied;
    s = m->borrowed ? apply(m, &q, &plan, &applied) : request_apply(&q, &plan, &applied);
    if (s != ENGINE_OK && !applied.called && cancel_fired(m->request->cancel)) {
        rpc_plan_give_back(hold);
        return rpc_method_judge(m, ENGINE_CANCELLED);
    }
    json_begin_object(m->w);
    rpc_write_state(m, "state", &q.resource, &applied.object);
    return rpc_end_answer(m);
}

bool rpc_resource_apply(struct rpc_method *m)
{
    struct str provider = STR_EMPTY, text = STR_EMPTY;
    const struct rpc_param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"plan", PARAM_TEXT, true, &text},
    };
    struct rpc_sealed_plan sealed;
    struct rpc_plan_hold hold;
    return PARAMS_READ(m->request, params) && rpc_method_provider(m, provider) && take_plan(m, text, &sealed, &hold) &&
           apply_taken(m, text, &sealed, &hold);
}
