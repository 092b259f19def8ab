#include "jsonrpc/methods.h"

#include "base/lock.h"
#include "base/vec.h"
#include "jsonrpc/methods_private.h"
#include "state/state_read.h"
#include "value/json_value.h"

#include <stdlib.h>

enum { CLOSE_TIMEOUT_S = 10 }; /* for closing each ephemeral object that is still open at the end */

static const struct {
    const char *name;
    method_fn *run;
} methods[] = {
    {"engine.ping", rpc_engine_ping},
    {"provider.open", rpc_provider_open},
    {"provider.schema", rpc_provider_describe},
    {"provider.close", rpc_provider_close},
    {"resource.validate", rpc_resource_validate},
    {"resource.plan", rpc_resource_plan},
    {"resource.apply", rpc_resource_apply},
    {"resource.refresh", rpc_resource_refresh},
    {"resource.import", rpc_resource_import},
    {"resource.upgrade", rpc_resource_upgrade},
    {"resource.move", rpc_resource_move},
    {"resource.list", rpc_resource_list},
    {"data.read", rpc_data_read},
    {"function.call", rpc_function_call},
    {"ephemeral.open", rpc_ephemeral_open},
    {"ephemeral.renew", rpc_ephemeral_renew},
    {"ephemeral.close", rpc_ephemeral_close},
};

static struct rpc_method method_start(struct rpc_engine *rpc, struct rpc_request *request, struct json_writer *w)
{
    struct rpc_method m = {
        .rpc = rpc, .request = request, .w = w, .arena = request->arena, .timeout_ns = rpc->options.timeout_ns};
    diags_init(&m.diags, m.arena);
    return m;
}

static void method_end(struct rpc_method *m)
{
    if (m->borrowed)
        lease_return(&m->lease);
    if (m->provider)
        rpc_handle_release(&m->rpc->providers, &m->provider->handle);
}

bool rpc_engine_handle(void *engine, struct rpc_request *request, struct json_writer *w)
{
    struct str name = request->message.method;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (!str_eqz(name, methods[i].name))
            continue;
        struct rpc_method m = method_start(engine, request, w);
        bool ok = methods[i].run(&m);
        method_end(&m);
        return ok;
    }
    return rpc_fail(request, RPC_NO_METHOD, "no such method: " STR_FMT, STR_ARG(rpc_shown(request->arena, name)));
}

bool rpc_engine_ping(struct rpc_method *m)
{
    if (!rpc_params_read(m->request, NULL, 0))
        return false;
    json_begin_object(m->w);
    json_key(m->w, STR("version"));
    json_write_string(m->w, STR(TERRANE_VERSION));
    json_end_object(m->w);
    return true;
}

/* --- providers and their processes --- */

bool rpc_too_many_handles(struct rpc_method *m, const char *what)
{
    return rpc_fail(m->request, RPC_TOO_MANY, "too many %s are open: the limit is %d; close some of them", what,
                    (int)HANDLES_MAX);
}

bool rpc_no_such_handle(struct rpc_method *m, struct str name)
{
    return rpc_fail(m->request, RPC_NO_HANDLE, "no such handle: " STR_FMT, STR_ARG(rpc_shown(m->arena, name)));
}

bool rpc_method_provider(struct rpc_method *m, struct str name)
{
    struct rpc_handle *h = rpc_handles_get(&m->rpc->providers, name);
    if (!h)
        return rpc_no_such_handle(m, name);
    m->provider = (struct rpc_provider_handle *)h;
    return true;
}

void rpc_method_use_provider(struct rpc_method *m, struct rpc_provider_handle *p)
{
    if (m->provider)
        return;
    rpc_handle_use(&m->rpc->providers, &p->handle);
    m->provider = p;
}

static void fail_lost(struct rpc_method *m)
{
    struct diag last = {.summary = STR("The provider did not answer")};
    for (size_t i = 0; i < m->diags.n; i++)
        if (m->diags.v[i].severity == DIAG_ERROR)
            last = m->diags.v[i];
    (void)rpc_fail(m->request, RPC_PROVIDER_LOST, STR_FMT "%s" STR_FMT, STR_ARG(last.summary), last.detail.n > 0 ? ": " : "",
                   STR_ARG(last.detail));
    VEC(struct str) data = {0};
    for (struct str rest = last.output; rest.n > 0;)
        *VEC_PUSH(m->arena, &data) = str_cut(&rest, '\n');
    m->request->error.data = data.v;
    m->request->error.n_data = data.n;
}

bool rpc_method_judge(struct rpc_method *m, enum engine_status status)
{
    switch (status) {
    case ENGINE_OK:
    case ENGINE_FAILED:
        return true;
    case ENGINE_LOST:
        fail_lost(m);
        return false;
    case ENGINE_CANCELLED:
        break;
    }
    return rpc_fail(m->request, RPC_CANCELLED, "cancelled");
}

/* Longer than for a call, because a process may have to be started and configured first. */
pool_wait rpc_method_wait(const struct rpc_method *m)
{
    pool_wait wait = {.cancel = m->request->cancel};
    if (m->timeout_ns > 0)
        wait.deadline = clock_now(&system_clock) + LAUNCH_TIMEOUT_S * NS_PER_S + 2 * m->timeout_ns;
    return wait;
}

enum engine_status rpc_method_lease(struct rpc_method *m)
{
    pool_wait wait = rpc_method_wait(m);
    enum engine_status s = pool_provider_borrow(m->provider->opened, &wait, &m->diags, &m->lease);
    m->borrowed = s == ENGINE_OK;
    m->engine = (struct engine){
        .arena = m->arena,
        .diags = &m->diags,
        .provider = m->borrowed ? m->lease.provider : NULL,
        .memo = m->borrowed ? m->lease.memo : NULL,
        .schema = m->borrowed ? m->lease.schema : pool_provider_schema(m->provider->opened),
        .provider_address = pool_provider_address(m->provider->opened),
        .log = m->rpc->log,
        .cancel = m->request->cancel,
        .timeout_ns = m->timeout_ns,
        .apply_timeout_ns = m->rpc->options.apply_timeout_ns,
    };
    return s;
}

bool rpc_method_borrow(struct rpc_method *m)
{
    enum engine_status s = rpc_method_lease(m);
    /* A restarted process that refuses its configuration is treated like a lost one. */
    return s == ENGINE_OK || rpc_method_judge(m, s == ENGINE_CANCELLED ? s : ENGINE_LOST);
}

struct request rpc_method_request(struct rpc_method *m, struct str type)
{
    return (struct request){.engine = &m->engine, .type = type, .name = RESOURCE_NAME, .warnings = &m->provider->warnings};
}

/* --- parameters --- */

bool rpc_check_config(struct rpc_method *m, const struct json *config, const struct json *unknown)
{
    const char *of_core = request_core_argument(config);
    if (of_core)
        return rpc_fail(m->request, RPC_WRONG_PARAMS, "config: %s is not an argument of a provider's object", of_core);
    if (!change_config_fits(config, unknown))
        return rpc_fail(m->request, RPC_WRONG_PARAMS, "config_unknown: not of the same shape as config");
    return true;
}

bool rpc_read_state(struct rpc_method *m, const struct json *json, const struct state_instance **ret)
{
    struct diags problems;
    diags_init(&problems, m->arena);
    struct state_instance *stored = arena_make(m->arena, struct state_instance);
    *ret = NULL;
    if (!json)
        return true;
    if (!state_read_instance(m->arena, json, "state", &problems, stored))
        return rpc_fail(m->request, RPC_WRONG_PARAMS, STR_FMT, STR_ARG(problems.v[0].detail));
    *ret = state_is_null(stored) ? NULL : stored;
    return true;
}

/* --- results --- */

void rpc_write_state(struct rpc_method *m, const char *name, const struct resource *r, const struct object *o)
{
    json_key(m->w, str_of(name));
    struct json_mark mark = json_mark(m->w);
    if (object_write_json(m->w, &m->engine, r, o) && !m->w->failed)
        return;
    json_back(m->w, &mark);
    json_write_null(m->w);
}

void rpc_write_value(struct rpc_method *m, const char *name, const struct value *v, const struct type *type)
{
    json_key(m->w, str_of(name));
    struct json_mark mark = json_mark(m->w);
    if (v && value_write_json(m->w, v, type, &m->diags) && !m->w->failed)
        return;
    json_back(m->w, &mark);
    json_write_null(m->w);
}

bool rpc_end_answer(struct rpc_method *m)
{
    json_key(m->w, STR("diagnostics"));
    diags_write_json(m->w, &m->diags);
    json_end_object(m->w);
    return true;
}

/* --- the engine --- */

static void free_provider(struct rpc_handle *h)
{
    struct rpc_provider_handle *p = (struct rpc_provider_handle *)h;
    pool_provider_close(p->opened);
    arena_free(p->arena);
    rpc_plan_bits_done(&p->plans);
    free(p);
}

static void free_ephemeral(struct rpc_handle *h)
{
    struct rpc_ephemeral_handle *e = (struct rpc_ephemeral_handle *)h;
    rpc_handle_release(e->providers, &e->provider->handle);
    mutex_destroy(&e->lock);
    buf_wipe(&e->private);
    arena_free(e->arena);
    free(e);
}

struct rpc_engine *rpc_engine_new(const struct rpc_engine_options *options)
{
    struct rpc_engine *rpc = calloc(1, sizeof *rpc);
    if (!rpc)
        abort();
    rpc->options = *options;
    rpc->log = options->pool.log;
    rpc->pool = pool_new(&options->pool);
    rpc_plan_key_make(&rpc->key);
    rpc_handles_init(&rpc->providers, "provider-", free_provider);
    rpc_handles_init(&rpc->ephemerals, "ephemeral-", free_ephemeral);
    return rpc;
}

static bool any(const struct rpc_handle *h, const void *what)
{
    (void)h;
    (void)what;
    return true;
}

/* Closes an ephemeral object that the caller left open. */
static void close_forgotten(struct rpc_engine *rpc, struct rpc_ephemeral_handle *h)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct rpc_request request = {.arena = a};
    struct rpc_method m = method_start(rpc, &request, NULL);
    m.timeout_ns = CLOSE_TIMEOUT_S * NS_PER_S;
    (void)rpc_end_ephemeral(&m, h);
    method_end(&m);
}

void rpc_engine_free(struct rpc_engine *rpc)
{
    if (!rpc)
        return;
    for (struct rpc_handle *h; (h = rpc_handles_take_any(&rpc->ephemerals, any, NULL));)
        close_forgotten(rpc, (struct rpc_ephemeral_handle *)h);
    for (struct rpc_handle *h; (h = rpc_handles_take_any(&rpc->providers, any, NULL));)
        rpc_handle_release(&rpc->providers, h);
    pool_free(rpc->pool);
    rpc_handles_done(&rpc->ephemerals);
    rpc_handles_done(&rpc->providers);
    rpc_plan_key_done(&rpc->key);
    free(rpc);
}
