/* provider.open, provider.schema, provider.close */
#include "jsonrpc/methods_private.h"
#include "registry/address.h"
#include "schema/schema_json.h"

#include <stdlib.h>
#include <sys/stat.h>

static bool is_file(struct str path)
{
    struct stat st;
    /* A parameter's text ends with a NUL, but may also contain one. */
    return path.n > 0 && strlen(path.p) == path.n && stat(path.p, &st) == 0 && S_ISREG(st.st_mode);
}

/* NAME of terraform-provider-NAME at the start of the file's name; empty: it has none. */
static struct str name_of_binary(struct str path)
{
    static const char prefix[] = "terraform-provider-";
    for (size_t slash; (slash = str_find(path, '/', 0)) != SIZE_MAX;)
        path = str_slice(path, slash + 1, path.n);
    if (!str_starts(path, str_of(prefix)))
        return STR_EMPTY;
    path = str_slice(path, strlen(prefix), path.n);
    return str_slice(path, 0, strspn(path.p, "abcdefghijklmnopqrstuvwxyz0123456789-"));
}

/* A binary that is given by its path is hashicorp/NAME, without a version, wherever it is: like a dev override in core. */
static bool find_file(struct rpc_method *m, struct str path, struct rpc_provider *ret, bool *ret_found)
{
    struct str name = name_of_binary(path);
    if (name.n == 0)
        return rpc_fail(m->request, RPC_WRONG_PARAMS, "source: the name of the file must start with terraform-provider-NAME");
    if (str_find(path, '/', 0) == SIZE_MAX)
        path = arena_printf(m->arena, "./" STR_FMT, STR_ARG(path));
    *ret_found = m->rpc->options.find(m->rpc->options.find_ctx, m->arena, path, STR_EMPTY, &m->diags, ret);
    if (*ret_found) {
        ret->source.address = arena_printf(m->arena, REGISTRY_TERRAFORM "/hashicorp/" STR_FMT, STR_ARG(name));
        ret->version = STR_EMPTY;
    }
    return true;
}

static bool answer_not_found(struct rpc_method *m, struct str source)
{
    json_begin_object(m->w);
    json_key(m->w, STR("provider"));
    json_write_null(m->w);
    json_key(m->w, STR("source"));
    json_write_string(m->w, source);
    return rpc_end_answer(m);
}

static struct str keep(struct rpc_method *m, struct pool_provider *opened, const struct diags *warnings)
{
    struct rpc_provider_handle *p = calloc(1, sizeof *p);
    if (!p)
        abort();
    p->opened = opened;
    p->arena = arena_new(NULL, 0);
    diags_init(&p->warnings, p->arena);
    diags_append(&p->warnings, warnings);
    rpc_plan_bits_init(&p->plans);
    return rpc_handles_add(&m->rpc->providers, &p->handle, m->arena);
}

/* `opened` NULL: the configuration was refused. */
static bool answer_opened(struct rpc_method *m, const struct rpc_provider *provider, struct pool_provider *opened,
                          const struct diags *found)
{
    diags_append(&m->diags, found);
    json_begin_object(m->w);
    json_key(m->w, STR("source"));
    json_write_string(m->w, provider->source.address);
    json_key(m->w, STR("version"));
    if (provider->version.n > 0)
        json_write_string(m->w, provider->version);
    else
        json_write_null(m->w);
    int protocol = opened ? pool_provider_protocol(opened) : pool_protocol(m->rpc->pool, &provider->source);
    json_key(m->w, STR("protocol"));
    if (protocol)
        json_write_int(m->w, protocol);
    else
        json_write_null(m->w);
    json_key(m->w, STR("provider"));
    if (opened)
        json_write_string(m->w, keep(m, opened, found));
    else
        json_write_null(m->w);
    return rpc_end_answer(m);
}

static bool open_found(struct rpc_method *m, const struct rpc_provider *provider, const struct json *config)
{
    /* Kept apart from the diagnostics of the search, because these are repeated with every use. */
    struct diags found;
    diags_init(&found, m->arena);
    struct pool_provider *opened = NULL;
    pool_wait wait = rpc_method_wait(m);
    if (!rpc_handles_reserve(&m->rpc->providers))
        return rpc_too_many_handles(m, "providers");
    enum engine_status s = pool_open(m->rpc->pool, &provider->source, config, &wait, &found, &opened);
    if (s != ENGINE_OK)
        rpc_handles_unreserve(&m->rpc->providers);
    if (s == ENGINE_LOST || s == ENGINE_CANCELLED) {
        diags_append(&m->diags, &found);
        return rpc_method_judge(m, s);
    }
    return answer_opened(m, provider, s == ENGINE_OK ? opened : NULL, &found);
}

bool rpc_provider_open(struct rpc_method *m)
{
    struct str source = STR_EMPTY, version = STR_EMPTY;
    const struct json *config = NULL;
    const struct rpc_param params[] = {
        {"source", PARAM_TEXT, true, &source},
        {"version", PARAM_TEXT, false, &version},
        {"config", PARAM_OBJECT, false, &config},
    };
    if (!PARAMS_READ(m->request, params))
        return false;
    struct rpc_provider provider;
    bool found = false;
    if (!is_file(source))
        found = m->rpc->options.find(m->rpc->options.find_ctx, m->arena, source, version, &m->diags, &provider);
    else if (!find_file(m, source, &provider, &found))
        return false;
    if (!found)
        return answer_not_found(m, source);
    return open_found(m, &provider, config);
}

bool rpc_provider_describe(struct rpc_method *m)
{
    struct str name = STR_EMPTY;
    const struct rpc_param params[] = {{"provider", PARAM_TEXT, true, &name}};
    if (!PARAMS_READ(m->request, params) || !rpc_method_provider(m, name))
        return false;
    schema_write_provider(m->w, pool_provider_schema(m->provider->opened), STR_EMPTY, SCHEMA_JSON_TERRAFORM_1_11);
    return true;
}

static bool is_of_provider(const struct rpc_handle *h, const void *what)
{
    return ((const struct rpc_ephemeral_handle *)h)->provider == what;
}

bool rpc_provider_close(struct rpc_method *m)
{
    struct str name = STR_EMPTY;
    const struct rpc_param params[] = {{"provider", PARAM_TEXT, true, &name}};
    if (!PARAMS_READ(m->request, params))
        return false;
    struct rpc_handle *h = rpc_handles_take(&m->rpc->providers, name);
    if (!h)
        return rpc_no_such_handle(m, name);
    m->provider = (struct rpc_provider_handle *)h; /* released with the method */
    for (struct rpc_handle *e; (e = rpc_handles_take_any(&m->rpc->ephemerals, is_of_provider, h));)
        (void)rpc_end_ephemeral(m, (struct rpc_ephemeral_handle *)e);
    json_begin_object(m->w);
    json_end_object(m->w);
    return true;
}
