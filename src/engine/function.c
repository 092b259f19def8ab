/* Calls a provider's function. Arguments are checked and converted first, as the Terraform language does. */
#include "engine/call_private.h"
#include "value/convert.h"
#include "value/json_value.h"

static bool wrong_argument(struct function_result *ret, struct str text, size_t argument)
{
    *ret = (struct function_result){.error = text, .error_argument = (int64_t)argument};
    return false;
}

/* Converts one argument to its parameter's type; false with the function's error. */
static bool read_argument(struct engine *e, const struct schema_parameter *p, const struct json *json, size_t i,
                          const struct value **ret_value, struct function_result *ret)
{
    struct diags problems;
    diags_init(&problems, e->arena);
    const struct value *v = value_implied_by_json(e->arena, json, &problems);
    if (v)
        v = value_convert(e->arena, v, p->type, PATH_ROOT, &problems);
    if (!v)
        return wrong_argument(ret,
                              arena_printf(e->arena, "Invalid value for \"" STR_FMT "\" parameter: " STR_FMT ".",
                                           STR_ARG(p->name), STR_ARG(problems.v[0].detail)),
                              i);
    if (value_is_null(v) && !p->allow_null)
        return wrong_argument(
            ret,
            arena_printf(e->arena, "Invalid value for \"" STR_FMT "\" parameter: argument must not be null.", STR_ARG(p->name)),
            i);
    *ret_value = v;
    return true;
}

static bool check_count(struct engine *e, struct str name, const struct schema_function *f, size_t n, struct function_result *ret)
{
    if (n < f->n_parameters) {
        struct str missing = f->parameters[n].name;
        *ret = (struct function_result){
            .error =
                arena_printf(e->arena, "Function \"" STR_FMT "\" expects %zu argument(s). Missing value for \"" STR_FMT "\".",
                             STR_ARG(name), f->n_parameters, STR_ARG(missing)),
            .error_argument = -1,
        };
        return false;
    }
    if (n > f->n_parameters && !f->variadic)
        return wrong_argument(
            ret, arena_printf(e->arena, "Function \"" STR_FMT "\" expects only %zu argument(s).", STR_ARG(name), f->n_parameters),
            f->n_parameters);
    return true;
}

static bool read_arguments(struct engine *e, struct str name, const struct schema_function *f, const struct json *arguments,
                           const struct value **values, struct function_result *ret)
{
    size_t n = arguments->array.n;
    if (!check_count(e, name, f, n, ret))
        return false;
    for (size_t i = 0; i < n; i++) {
        const struct schema_parameter *p = i < f->n_parameters ? &f->parameters[i] : f->variadic;
        if (!read_argument(e, p, arguments->array.items[i], i, &values[i], ret))
            return false;
    }
    return true;
}

enum engine_status engine_call_function(struct engine *e, struct str name, const struct json *arguments,
                                        struct function_result *ret)
{
    const struct schema_function *f = map_get(&e->schema->functions, name);
    if (!f)
        return engine_fail(e, "Unknown provider function",
                           "The function \"" STR_FMT "\" is not available from the provider " STR_FMT ".", STR_ARG(name),
                           STR_ARG(e->provider_address));
    const struct value **values = arena_make_n(e->arena, const struct value *, arguments->array.n);
    if (!read_arguments(e, name, f, arguments, values, ret))
        return ENGINE_OK;
    struct call_function_request request = {.name = name, .arguments = values, .n_arguments = arguments->array.n};
    struct call_function_response response;
    struct call c = call_start(e);
    enum provider_status status = provider_call_function(e->provider, e->arena, &request, &c.options, &c.found, &response);
    enum engine_status s = call_finish(&c, "CallFunction", status, NULL);
    if (s != ENGINE_OK)
        return s;
    if (response.has_error)
        *ret = (struct function_result){.error = response.error, .error_argument = response.error_argument};
    else
        *ret = (struct function_result){.value = engine_value(e, response.result, f->return_type), .error_argument = -1};
    return ENGINE_OK;
}
