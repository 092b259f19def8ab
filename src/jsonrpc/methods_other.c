/* data.read, function.call, ephemeral.open, ephemeral.renew, ephemeral.close */
#include "base/lock.h"
#include "jsonrpc/methods_private.h"
#include "value/json_value.h"

#include <stdlib.h>

/* Reads the parameters provider, type and config, and borrows the provider. */
static bool begin_with_config(struct rpc_method *m, struct str *ret_type, const struct json **ret_config)
{
    struct str provider = STR_EMPTY, type = STR_EMPTY;
    const struct json *config = NULL;
    const struct rpc_param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"type", PARAM_TEXT, true, &type},
        {"config", PARAM_OBJECT, true, &config},
    };
    if (!PARAMS_READ(m->request, params) || !rpc_method_provider(m, provider) || !rpc_check_config(m, config, NULL) ||
        !rpc_method_borrow(m))
        return false;
    *ret_type = type;
    *ret_config = config;
    return true;
}

bool rpc_data_read(struct rpc_method *m)
{
    struct str type;
    const struct json *config;
    if (!begin_with_config(m, &type, &config))
        return false;
    struct request q = rpc_method_request(m, type);
    const struct value *v = NULL;
    if (!rpc_method_judge(m, request_read_data(&q, config, &v)))
        return false;
    json_begin_object(m->w);
    rpc_write_value(m, "value", v, v ? q.resource.schema->type : NULL);
    return rpc_end_answer(m);
}

/* function.call */

static bool write_function_error(struct rpc_method *m, struct str text, int64_t argument)
{
    json_begin_object(m->w);
    json_key(m->w, STR("error"));
    json_begin_object(m->w);
    json_key(m->w, STR("text"));
    json_write_string(m->w, text);
    if (argument >= 0) {
        json_key(m->w, STR("argument"));
        json_write_int(m->w, argument);
    }
    json_end_object(m->w);
    json_end_object(m->w);
    return true;
}

/* Diagnostics mean that the provider's answer was invalid; they are returned as the function's error. */
static bool write_function_diags(struct rpc_method *m)
{
    const struct diag *d = &m->diags.v[0];
    for (size_t i = 0; i < m->diags.n && d->severity != DIAG_ERROR; i++)
        d = &m->diags.v[i];
    return write_function_error(m, arena_printf(m->arena, STR_FMT ": " STR_FMT, STR_ARG(d->summary), STR_ARG(d->detail)), -1);
}

bool rpc_function_call(struct rpc_method *m)
{
    struct str provider = STR_EMPTY, name = STR_EMPTY;
    const struct json *arguments = NULL;
    const struct rpc_param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"name", PARAM_TEXT, true, &name},
        {"arguments", PARAM_ARRAY, true, &arguments},
    };
    if (!PARAMS_READ(m->request, params) || !rpc_method_provider(m, provider) || !rpc_method_borrow(m))
        return false;
    if (!map_get(&m->engine.schema->functions, name))
        return rpc_fail(m->request, RPC_WRONG_PARAMS, "name: the provider has no function \"" STR_FMT "\"",
                        STR_ARG(rpc_shown(m->arena, name)));
    struct function_result result;
    enum engine_status s = engine_call_function(&m->engine, name, arguments, &result);
    if (!rpc_method_judge(m, s))
        return false;
    if (s == ENGINE_OK && !result.value)
        return write_function_error(m, result.error, result.error_argument);
    struct json_mark mark = json_mark(m->w);
    json_begin_object(m->w);
    json_key(m->w, STR("value"));
    if (s != ENGINE_OK || !value_write_json(m->w, result.value, result.value->type, &m->diags)) {
        json_back(m->w, &mark);
        return write_function_diags(m);
    }
    json_end_object(m->w);
    return true;
}

/* Ephemeral objects */

static void keep_private(struct rpc_ephemeral_handle *h, bool has_private, struct str private)
{
    struct buf fresh = BUF_INIT(private.n);
    buf_add(&fresh, private);
    if (!buf_ok(&fresh))
        abort();
    buf_wipe(&h->private);
    h->private = fresh;
    h->ephemeral.has_private = has_private;
    h->ephemeral.private = buf_str(&h->private);
}

static struct str keep(struct rpc_method *m, const struct ephemeral *opened)
{
    struct rpc_ephemeral_handle *h = calloc(1, sizeof *h);
    if (!h)
        abort();
    h->arena = arena_new(NULL, 0);
    h->providers = &m->rpc->providers;
    h->provider = m->provider;
    rpc_handle_use(h->providers, &h->provider->handle);
    mutex_init(&h->lock);
    h->ephemeral = *opened;
    h->ephemeral.resource.type = arena_str(h->arena, opened->resource.type);
    h->ephemeral.resource.address = arena_str(h->arena, opened->resource.address);
    h->ephemeral.value = value_copy(h->arena, opened->value);
    keep_private(h, opened->has_private, opened->private);
    return rpc_handles_add(&m->rpc->ephemerals, &h->handle, m->arena);
}

/* `e` NULL: there is none. */
static bool answer_ephemeral(struct rpc_method *m, const struct ephemeral *e, struct str handle)
{
    json_begin_object(m->w);
    rpc_write_value(m, "value", e ? e->value : NULL, e ? e->resource.schema->type : NULL);
    json_key(m->w, STR("handle"));
    if (e)
        json_write_string(m->w, handle);
    else
        json_write_null(m->w);
    if (e && e->has_renew_at) {
        char text[CLOCK_TEXT];
        clock_format(e->renew_at_ns, text);
        json_key(m->w, STR("renew_at"));
        json_write_string(m->w, str_of(text));
    }
    return rpc_end_answer(m);
}

bool rpc_ephemeral_open(struct rpc_method *m)
{
    struct str type;
    const struct json *config;
    if (!begin_with_config(m, &type, &config))
        return false;
    struct request q = rpc_method_request(m, type);
    struct ephemeral opened;
    if (!rpc_handles_reserve(&m->rpc->ephemerals))
        return rpc_too_many_handles(m, "ephemeral objects");
    enum engine_status s = request_open_ephemeral(&q, config, &opened);
    if (s != ENGINE_OK)
        rpc_handles_unreserve(&m->rpc->ephemerals);
    if (!rpc_method_judge(m, s))
        return false;
    if (s != ENGINE_OK)
        return answer_ephemeral(m, NULL, STR_EMPTY);
    return answer_ephemeral(m, &opened, keep(m, &opened));
}

/* The parameter `provider` is optional, but must be right if it is given. */
static bool read_handle(struct rpc_method *m, struct str *ret)
{
    struct str provider = STR_EMPTY;
    const struct rpc_param params[] = {
        {"handle", PARAM_TEXT, true, ret},
        {"provider", PARAM_TEXT, false, &provider},
    };
    return PARAMS_READ(m->request, params) && (provider.n == 0 || rpc_method_provider(m, provider));
}

static bool is_of_other(const struct rpc_method *m, const struct rpc_ephemeral_handle *h)
{
    return m->provider && m->provider != h->provider;
}

static bool renew(struct rpc_method *m, struct rpc_ephemeral_handle *h, struct str name)
{
    rpc_method_use_provider(m, h->provider);
    if (!rpc_method_borrow(m))
        return false;
    mutex_lock(&h->lock);
    struct ephemeral e = h->ephemeral;
    enum engine_status s = engine_renew_ephemeral(&m->engine, &e);
    if (s == ENGINE_OK) {
        h->ephemeral.has_renew_at = e.has_renew_at;
        h->ephemeral.renew_at_ns = e.renew_at_ns;
        keep_private(h, e.has_private, e.private);
    }
    mutex_unlock(&h->lock);
    return rpc_method_judge(m, s) && answer_ephemeral(m, &e, name);
}

bool rpc_ephemeral_renew(struct rpc_method *m)
{
    struct str name = STR_EMPTY;
    if (!read_handle(m, &name))
        return false;
    struct rpc_handle *h = rpc_handles_get(&m->rpc->ephemerals, name);
    if (!h)
        return rpc_no_such_handle(m, name);
    struct rpc_ephemeral_handle *e = (struct rpc_ephemeral_handle *)h;
    bool ok = is_of_other(m, e) ? rpc_no_such_handle(m, name) : renew(m, e, name);
    rpc_handle_release(&m->rpc->ephemerals, h);
    return ok;
}

enum engine_status rpc_end_ephemeral(struct rpc_method *m, struct rpc_ephemeral_handle *h)
{
    rpc_method_use_provider(m, h->provider);
    enum engine_status s = m->borrowed ? ENGINE_OK : rpc_method_lease(m);
    if (s == ENGINE_OK) {
        mutex_lock(&h->lock);
        s = engine_close_ephemeral(&m->engine, &h->ephemeral);
        mutex_unlock(&h->lock);
    }
    rpc_handle_release(&m->rpc->ephemerals, &h->handle);
    return s;
}

bool rpc_ephemeral_close(struct rpc_method *m)
{
    struct str name = STR_EMPTY;
    if (!read_handle(m, &name))
        return false;
    struct rpc_handle *h = rpc_handles_get(&m->rpc->ephemerals, name);
    bool other = h && is_of_other(m, (struct rpc_ephemeral_handle *)h);
    if (h)
        rpc_handle_release(&m->rpc->ephemerals, h);
    h = other ? NULL : rpc_handles_take(&m->rpc->ephemerals, name);
    if (!h)
        return rpc_no_such_handle(m, name);
    if (!rpc_method_judge(m, rpc_end_ephemeral(m, (struct rpc_ephemeral_handle *)h)))
        return false;
    json_begin_object(m->w);
    return rpc_end_answer(m);
}
