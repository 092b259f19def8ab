#include "jsonrpc/methods.h"

#include "base/vec.h"
#include "jsonrpc/methods_private.h"
#include "state/state_read.h"
#include "value/json_value.h"

#include <stdlib.h>

enum { CLOSE_TIMEOUT_S = 10 }; /* for each ephemeral object that is still open at the end */

static const struct {
    const char *name;
    method_fn *run;
} methods[] = {
    {"engine.ping", engine_ping},
    {"provider.open", provider_open},
    {"provider.schema", provider_describe},
    {"provider.close", provider_close},
    {"resource.validate", resource_validate},
    {"resource.plan", resource_plan},
    {"resource.apply", resource_apply},
    {"resource.refresh", resource_refresh},
    {"resource.import", resource_import},
    {"resource.upgrade", resource_upgrade},
    {"resource.move", resource_move},
    {"resource.list", resource_list},
    {"data.read", data_read},
    {"function.call", function_call},
    {"ephemeral.open", ephemeral_open},
    {"ephemeral.renew", ephemeral_renew},
    {"ephemeral.close", ephemeral_close},
};

static struct method method_start(struct rpc_engine *rpc, struct rpc_request *request, struct json_writer *w)
{
    struct method m = {.rpc = rpc, .request = request, .w = w, .arena = request->arena, .timeout_ns = rpc->options.timeout_ns};
    diags_init(&m.diags, m.arena);
    return m;
}

static void method_end(struct method *m)
{
    if (m->borrowed)
        warm_return(&m->lease);
    if (m->provider)
        handle_release(&m->rpc->providers, &m->provider->handle);
}

bool rpc_engine_handle(void *engine, struct rpc_request *request, struct json_writer *w)
{
    struct str name = request->message.method;
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        if (!str_eqz(name, methods[i].name))
            continue;
        struct method m = method_start(engine, request, w);
        bool ok = methods[i].run(&m);
        method_end(&m);
        return ok;
    }
    return rpc_fail(request, RPC_NO_METHOD, "no such method: " STR_FMT, STR_ARG(rpc_shown(request->arena, name)));
}

bool engine_ping(struct method *m)
{
    if (!params_read(m->request, NULL, 0))
        return false;
    json_begin_object(m->w);
    json_key(m->w, STR("version"));
    json_write_string(m->w, STR(TERRANE_VERSION));
    json_end_object(m->w);
    return true;
}

/* --- providers and their processes --- */

bool no_such_handle(struct method *m, struct str name)
{
    return rpc_fail(m->request, RPC_NO_HANDLE, "no such handle: " STR_FMT, STR_ARG(rpc_shown(m->arena, name)));
}

bool method_provider(struct method *m, struct str name)
{
    struct handle *h = handles_get(&m->rpc->providers, name);
    if (!h)
        return no_such_handle(m, name);
    m->provider = (struct provider_handle *)h;
    return true;
}

void method_use_provider(struct method *m, struct provider_handle *p)
{
    if (m->provider)
        return;
    handle_use(&m->rpc->providers, &p->handle);
    m->provider = p;
}

/* The last lines of stderr stand in the diagnostic, after these words (plugin.c); for programs they are lines. */
static void fail_lost(struct method *m)
{
    static const char heading[] = "\n\nThe last lines it wrote to stderr:\n";
    struct diag last = {.summary = STR("The provider did not answer")};
    for (size_t i = 0; i < m->diags.n; i++)
        if (m->diags.v[i].severity == DIAG_ERROR)
            last = m->diags.v[i];
    const char *found = last.detail.n > 0 ? strstr(last.detail.p, heading) : NULL;
    size_t n = found ? (size_t)(found - last.detail.p) : last.detail.n;
    struct str lines = str_trim(str_slice(last.detail, n + (found ? strlen(heading) : 0), last.detail.n));
    (void)rpc_fail(m->request, RPC_PROVIDER_LOST, STR_FMT "%s" STR_FMT, STR_ARG(last.summary), n > 0 ? ": " : "", (int)n,
                   last.detail.p);
    VEC(struct str) data = {0};
    while (lines.n > 0)
        *VEC_PUSH(m->arena, &data) = str_trim(str_cut(&lines, '\n'));
    m->request->error.data = data.v;
    m->request->error.n_data = data.n;
}

bool method_judge(struct method *m, enum engine_status status)
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

/* A process may have to be started, and configured, before a call gets its turn. */
pool_wait method_wait(const struct method *m)
{
    pool_wait wait = {.cancel = m->request->cancel};
    if (m->timeout_ns > 0)
        wait.deadline = clock_now(&system_clock) + LAUNCH_TIMEOUT_S * NS_PER_S + 2 * m->timeout_ns;
    return wait;
}

enum engine_status method_lease(struct method *m)
{
    pool_wait wait = method_wait(m);
    enum engine_status s = warm_borrow(m->provider->warm, &wait, &m->diags, &m->lease);
    m->borrowed = s == ENGINE_OK;
    m->engine = (struct engine){
        .arena = m->arena,
        .diags = &m->diags,
        .provider = m->borrowed ? m->lease.provider : NULL,
        .known = m->borrowed ? m->lease.known : NULL,
        .schema = m->borrowed ? m->lease.schema : warm_schema(m->provider->warm),
        .provider_address = warm_address(m->provider->warm),
        .log = m->rpc->log,
        .cancel = m->request->cancel,
        .timeout_ns = m->timeout_ns,
        .apply_timeout_ns = m->rpc->options.apply_timeout_ns,
    };
    return s;
}

void method_warnings(struct method *m)
{
    diags_append(&m->diags, &m->provider->warnings);
}

bool method_borrow(struct method *m)
{
    enum engine_status s = method_lease(m);
    /* A process that came back but refuses its configuration now is as little use as none. */
    return s == ENGINE_OK || method_judge(m, s == ENGINE_CANCELLED ? s : ENGINE_LOST);
}

/* --- parameters --- */

/* Arguments that core takes for itself, so no provider ever sees them. */
static const char *const core_arguments[] = {"connection", "count",    "depends_on", "for_each",
                                             "lifecycle",  "provider", "provisioner"};

bool check_config(struct method *m, const struct json *config, const struct json *unknown)
{
    for (size_t i = 0; i < sizeof core_arguments / sizeof core_arguments[0]; i++)
        if (json_get(config, core_arguments[i]))
            return rpc_fail(m->request, RPC_WRONG_PARAMS, "config: %s is no argument of a provider's object", core_arguments[i]);
    if (!change_config_fits(config, unknown))
        return rpc_fail(m->request, RPC_WRONG_PARAMS, "config_unknown: not of the same shape as config");
    return true;
}

bool read_state(struct method *m, const struct json *json, const struct state_instance **ret)
{
    struct diags problems;
    diags_init(&problems, m->arena);
    struct state_instance *stored = arena_make(m->arena, struct state_instance);
    *ret = NULL;
    if (!json)
        return true;
    if (!state_read_instance(m->arena, json, "state", &problems, stored))
        return rpc_fail(m->request, RPC_WRONG_PARAMS, STR_FMT, STR_ARG(problems.v[0].detail));
    *ret = stored;
    return true;
}

static bool has_type(struct method *m, struct str type)
{
    return map_get(&m->engine.schema->resources, type) != NULL;
}

static bool fail_in_core(struct method *m, struct str summary)
{
    diags_add(&m->diags, &(struct diag){.severity = DIAG_ERROR, .summary = summary, .detail = STR_EMPTY});
    return false;
}

bool stored_resource(struct method *m, struct str type, struct resource *ret)
{
    if (has_type(m, type))
        return engine_resource(&m->engine, type, RESOURCE_NAME, ret);
    return fail_in_core(m, arena_printf(m->arena,
                                        "no schema available for " STR_FMT "." STR_FMT
                                        " while reading state; this is a bug in Terraform and should be reported",
                                        STR_ARG(type), STR_ARG(RESOURCE_NAME)));
}

bool imported_resource(struct method *m, struct str type, struct resource *ret)
{
    if (has_type(m, type))
        return engine_resource(&m->engine, type, RESOURCE_NAME, ret);
    return fail_in_core(m, arena_printf(m->arena, "provider does not support resource type for \"" STR_FMT "." STR_FMT "\"",
                                        STR_ARG(type), STR_ARG(RESOURCE_NAME)));
}

/* --- results --- */

struct writer_mark writer_mark(const struct json_writer *w)
{
    return (struct writer_mark){*w, w->out->n};
}

void writer_back(struct json_writer *w, const struct writer_mark *mark)
{
    *w = mark->w;
    w->out->n = mark->n;
    w->out->failed = false;
}

void write_state(struct method *m, const char *name, const struct resource *r, const struct object *o)
{
    json_key(m->w, str_of(name));
    struct writer_mark mark = writer_mark(m->w);
    if (object_write_json(m->w, &m->engine, r, o) && !m->w->failed)
        return;
    writer_back(m->w, &mark);
    json_write_null(m->w);
}

void write_value(struct method *m, const char *name, const struct value *v, const struct type *type)
{
    json_key(m->w, str_of(name));
    struct writer_mark mark = writer_mark(m->w);
    if (v && value_write_json(m->w, v, type, &m->diags) && !m->w->failed)
        return;
    writer_back(m->w, &mark);
    json_write_null(m->w);
}

bool end_answer(struct method *m)
{
    json_key(m->w, STR("diagnostics"));
    diags_write_json(m->w, &m->diags);
    json_end_object(m->w);
    return true;
}

/* --- the engine --- */

static void free_provider(struct handle *h)
{
    struct provider_handle *p = (struct provider_handle *)h;
    warm_close(p->warm);
    arena_free(p->arena);
    plan_bits_done(&p->plans);
    free(p);
}

static void free_ephemeral(struct handle *h)
{
    struct ephemeral_handle *e = (struct ephemeral_handle *)h;
    handle_release(e->providers, &e->provider->handle);
    (void)pthread_mutex_destroy(&e->lock);
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
    plan_key_make(&rpc->key);
    handles_init(&rpc->providers, "provider-", free_provider);
    handles_init(&rpc->ephemerals, "ephemeral-", free_ephemeral);
    return rpc;
}

static bool any(const struct handle *h, const void *what)
{
    (void)h;
    (void)what;
    return true;
}

/* Nobody asked for it, but what was opened must be closed. */
static void close_forgotten(struct rpc_engine *rpc, struct ephemeral_handle *h)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct rpc_request request = {.arena = a};
    struct method m = method_start(rpc, &request, NULL);
    m.timeout_ns = CLOSE_TIMEOUT_S * NS_PER_S;
    (void)end_ephemeral(&m, h);
    method_end(&m);
}

void rpc_engine_free(struct rpc_engine *rpc)
{
    if (!rpc)
        return;
    for (struct handle *h; (h = handles_take_any(&rpc->ephemerals, any, NULL));)
        close_forgotten(rpc, (struct ephemeral_handle *)h);
    for (struct handle *h; (h = handles_take_any(&rpc->providers, any, NULL));)
        handle_release(&rpc->providers, h);
    pool_free(rpc->pool);
    handles_done(&rpc->ephemerals);
    handles_done(&rpc->providers);
    plan_key_done(&rpc->key);
    free(rpc);
}
