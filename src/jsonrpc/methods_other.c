/* data.read, function.call, ephemeral.open, ephemeral.renew, ephemeral.close */
#include "jsonrpc/methods_private.h"
#include "value/json_value.h"

#include <stdlib.h>

bool data_read(struct method *m)
{
    struct str provider = STR_EMPTY, type = STR_EMPTY;
    const struct json *config = NULL;
    const struct param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"type", PARAM_TEXT, true, &type},
        {"config", PARAM_OBJECT, true, &config},
    };
    if (!PARAMS_READ(m->request, params) || !method_provider(m, provider) || !check_config(m, config, NULL) || !method_borrow(m))
        return false;
    method_warnings(m);
    struct resource r = {0};
    struct config c;
    const struct value *v = NULL;
    if (engine_data_source(&m->engine, type, RESOURCE_NAME, &r) && engine_config(&m->engine, &r, config, NULL, &c) &&
        !method_judge(m, engine_read_data(&m->engine, &r, &c, &v)))
        return false;
    json_begin_object(m->w);
    write_value(m, "value", v, v ? r.schema->type : NULL);
    return end_answer(m);
}

/* function.call */

static bool write_function_error(struct method *m, struct str text, int64_t argument)
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

/* The provider broke the rules of the call: that is the function's error too. */
static bool write_function_diags(struct method *m)
{
    const struct diag *d = &m->diags.v[0];
    for (size_t i = 0; i < m->diags.n && d->severity != DIAG_ERROR; i++)
        d = &m->diags.v[i];
    return write_function_error(m, arena_printf(m->arena, STR_FMT ": " STR_FMT, STR_ARG(d->summary), STR_ARG(d->detail)), -1);
}

bool function_call(struct method *m)
{
    struct str provider = STR_EMPTY, name = STR_EMPTY;
    const struct json *arguments = NULL;
    const struct param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"name", PARAM_TEXT, true, &name},
        {"arguments", PARAM_ARRAY, true, &arguments},
    };
    if (!PARAMS_READ(m->request, params) || !method_provider(m, provider) || !method_borrow(m))
        return false;
    if (!map_get(&m->engine.schema->functions, name))
        return rpc_fail(m->request, RPC_WRONG_PARAMS, "name: the provider has no function \"" STR_FMT "\"",
                        STR_ARG(rpc_shown(m->arena, name)));
    struct function_result result;
    enum engine_status s = engine_call_function(&m->engine, name, arguments, &result);
    if (!method_judge(m, s))
        return false;
    if (s == ENGINE_OK && !result.value)
        return write_function_error(m, result.error, result.error_argument);
    struct writer_mark mark = writer_mark(m->w);
    json_begin_object(m->w);
    json_key(m->w, STR("value"));
    if (s != ENGINE_OK || !value_write_json(m->w, result.value, result.value->type, &m->diags)) {
        writer_back(m->w, &mark);
        return write_function_diags(m);
    }
    json_end_object(m->w);
    return true;
}

/* Ephemeral objects */

static void keep_private(struct ephemeral_handle *h, bool has_private, struct str private)
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

static struct str keep(struct method *m, const struct ephemeral *opened)
{
    struct ephemeral_handle *h = calloc(1, sizeof *h);
    if (!h)
        abort();
    h->arena = arena_new(NULL, 0);
    h->providers = &m->rpc->providers;
    h->provider = m->provider;
    handle_use(h->providers, &h->provider->handle);
    (void)pthread_mutex_init(&h->lock, NULL);
    h->ephemeral = *opened;
    h->ephemeral.resource.type = arena_str(h->arena, opened->resource.type);
    h->ephemeral.resource.address = arena_str(h->arena, opened->resource.address);
    h->ephemeral.value = value_copy(h->arena, opened->value);
    keep_private(h, opened->has_private, opened->private);
    return handles_add(&m->rpc->ephemerals, &h->handle, m->arena);
}

/* `e` NULL: there is none. */
static bool answer_ephemeral(struct method *m, const struct ephemeral *e, struct str handle)
{
    json_begin_object(m->w);
    write_value(m, "value", e ? e->value : NULL, e ? e->resource.schema->type : NULL);
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
    return end_answer(m);
}

bool ephemeral_open(struct method *m)
{
    struct str provider = STR_EMPTY, type = STR_EMPTY;
    const struct json *config = NULL;
    const struct param params[] = {
        {"provider", PARAM_TEXT, true, &provider},
        {"type", PARAM_TEXT, true, &type},
        {"config", PARAM_OBJECT, true, &config},
    };
    if (!PARAMS_READ(m->request, params) || !method_provider(m, provider) || !check_config(m, config, NULL) || !method_borrow(m))
        return false;
    struct resource r;
    struct config c;
    struct ephemeral opened;
    enum engine_status s = ENGINE_FAILED;
    if (engine_ephemeral(&m->engine, type, RESOURCE_NAME, &r) && engine_config(&m->engine, &r, config, NULL, &c))
        s = engine_open_ephemeral(&m->engine, &r, &c, &opened);
    if (!method_judge(m, s))
        return false;
    if (s != ENGINE_OK)
        return answer_ephemeral(m, NULL, STR_EMPTY);
    return answer_ephemeral(m, &opened, keep(m, &opened));
}

/* `provider` need not be said again, but must be right if it is. */
static bool read_handle(struct method *m, struct str *ret)
{
    struct str provider = STR_EMPTY;
    const struct param params[] = {
        {"handle", PARAM_TEXT, true, ret},
        {"provider", PARAM_TEXT, false, &provider},
    };
    return PARAMS_READ(m->request, params) && (provider.n == 0 || method_provider(m, provider));
}

static bool is_of_other(const struct method *m, const struct ephemeral_handle *h)
{
    return m->provider && m->provider != h->provider;
}

static bool renew(struct method *m, struct ephemeral_handle *h, struct str name)
{
    method_use_provider(m, h->provider);
    if (!method_borrow(m))
        return false;
    (void)pthread_mutex_lock(&h->lock);
    struct ephemeral e = h->ephemeral;
    enum engine_status s = engine_renew_ephemeral(&m->engine, &e);
    if (s == ENGINE_OK) {
        h->ephemeral.has_renew_at = e.has_renew_at;
        h->ephemeral.renew_at_ns = e.renew_at_ns;
        keep_private(h, e.has_private, e.private);
    }
    (void)pthread_mutex_unlock(&h->lock);
    return method_judge(m, s) && answer_ephemeral(m, &e, name);
}

bool ephemeral_renew(struct method *m)
{
    struct str name = STR_EMPTY;
    if (!read_handle(m, &name))
        return false;
    struct handle *h = handles_get(&m->rpc->ephemerals, name);
    if (!h)
        return no_such_handle(m, name);
    struct ephemeral_handle *e = (struct ephemeral_handle *)h;
    bool ok = is_of_other(m, e) ? no_such_handle(m, name) : renew(m, e, name);
    handle_release(&m->rpc->ephemerals, h);
    return ok;
}

enum engine_status end_ephemeral(struct method *m, struct ephemeral_handle *h)
{
    method_use_provider(m, h->provider);
    enum engine_status s = m->borrowed ? ENGINE_OK : method_lease(m);
    if (s == ENGINE_OK) {
        (void)pthread_mutex_lock(&h->lock);
        s = engine_close_ephemeral(&m->engine, &h->ephemeral);
        (void)pthread_mutex_unlock(&h->lock);
    }
    handle_release(&m->rpc->ephemerals, &h->handle);
    return s;
}

bool ephemeral_close(struct method *m)
{
    struct str name = STR_EMPTY;
    if (!read_handle(m, &name))
        return false;
    struct handle *h = handles_get(&m->rpc->ephemerals, name);
    bool other = h && is_of_other(m, (struct ephemeral_handle *)h);
    if (h)
        handle_release(&m->rpc->ephemerals, h);
    h = other ? NULL : handles_take(&m->rpc->ephemerals, name);
    if (!h)
        return no_such_handle(m, name);
    if (!method_judge(m, end_ephemeral(m, (struct ephemeral_handle *)h)))
        return false;
    json_begin_object(m->w);
    return end_answer(m);
}
