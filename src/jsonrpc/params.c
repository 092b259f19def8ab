#include "jsonrpc/params.h"

static const char *const kind_names[] = {
    [PARAM_TEXT] = "a string",    [PARAM_BOOL] = "true or false", [PARAM_COUNT] = "a whole number, 0 or greater",
    [PARAM_OBJECT] = "an object", [PARAM_ARRAY] = "an array",
};

static bool set(const struct rpc_param *p, const struct json *j)
{
    switch (p->kind) {
    case PARAM_TEXT:
        if (j->kind == JSON_STRING)
            *(struct str *)p->target = j->text;
        return j->kind == JSON_STRING;
    case PARAM_BOOL:
        if (j->kind == JSON_BOOL)
            *(bool *)p->target = j->boolean;
        return j->kind == JSON_BOOL;
    case PARAM_COUNT:
        return j->kind == JSON_NUMBER && str_to_i64(j->text, p->target) && *(int64_t *)p->target >= 0;
    case PARAM_OBJECT:
    case PARAM_ARRAY:
        if (j->kind == (p->kind == PARAM_OBJECT ? JSON_OBJECT : JSON_ARRAY))
            *(const struct json **)p->target = j;
        return j->kind == (p->kind == PARAM_OBJECT ? JSON_OBJECT : JSON_ARRAY);
    }
    return false;
}

static const struct rpc_param *find(const struct rpc_param *params, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eqz(name, params[i].name))
            return &params[i];
    return NULL;
}

bool rpc_params_read(struct rpc_request *r, const struct rpc_param *params, size_t n)
{
    const struct json *given = r->message.params;
    if (given->kind != JSON_OBJECT)
        return rpc_fail(r, RPC_WRONG_PARAMS, "params: an object is required");
    for (size_t i = 0; i < n; i++) {
        const struct json *j = json_get(given, params[i].name);
        bool absent = !j || j->kind == JSON_NULL;
        if (absent && params[i].required)
            return rpc_fail(r, RPC_WRONG_PARAMS, "%s: required, but missing", params[i].name);
        if (!absent && !set(&params[i], j))
            return rpc_fail(r, RPC_WRONG_PARAMS, "%s: %s is required", params[i].name, kind_names[params[i].kind]);
    }
    for (size_t i = 0; i < given->object.n; i++) {
        const struct json_member *m = &given->object.members[i];
        if (m->value->kind != JSON_NULL && !find(params, n, m->key))
            return rpc_fail(r, RPC_WRONG_PARAMS, STR_FMT ": this method has no such parameter",
                            STR_ARG(rpc_shown(r->arena, m->key)));
    }
    return true;
}
