/*
 * Calls about data sources, ephemeral resources and functions. Compiled for protocol 5 and for 6.
 */
#include "protocol/codec_private.h"

/* Private bytes of an ephemeral resource, which may be absent. `message` is its name in the constants of protobuf-c. */
#define FILTER_PRIVATE(c, w, r, message)                                                                                         \
    (w)->private_opt_case = filter_optional_bytes(c, (w)->private_opt_case, PB_ENUM(message##__PRIVATE_OPT_PRIVATE),             \
                                                  &(w)->private_, &(r)->has_private, &(r)->private)

/* Data sources and ephemeral resources */

static void read_data_request(struct coding *c, void *message, void *plain)
{
    PB(ReadDataSource__Request) *w = message;
    struct read_data_request *r = plain;
    filter_type_name(c, &w->type_name, &r->type_name, &c->schema->data_sources, "data source");
    filter_value(c, "config", &w->config, &r->config, coding_type_in(c, &c->schema->data_sources));
    filter_value(c, "provider_meta", &w->provider_meta, &r->provider_meta, coding_meta_type(c));
    filter_capabilities(c, &w->client_capabilities, &r->capabilities);
}

static void read_data_response(struct coding *c, void *message, void *plain)
{
    PB(ReadDataSource__Response) *w = message;
    struct read_data_response *r = plain;
    filter_value(c, "state", &w->state, &r->state, coding_type_in(c, &c->schema->data_sources));
    filter_deferred(c, &w->deferred, &r->deferred);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_read_data) = {
    NAMED("ReadDataSource"),
    .request = MESSAGE(read_data_source__request, read_data_request, read_data_request),
    .response = MESSAGE(read_data_source__response, read_data_response, read_data_response),
};

static void open_ephemeral_request(struct coding *c, void *message, void *plain)
{
    PB(OpenEphemeralResource__Request) *w = message;
    struct open_ephemeral_request *r = plain;
    filter_type_name(c, &w->type_name, &r->type_name, &c->schema->ephemerals, "ephemeral resource type");
    filter_value(c, "config", &w->config, &r->config, coding_type_in(c, &c->schema->ephemerals));
    filter_capabilities(c, &w->client_capabilities, &r->capabilities);
}

static void open_ephemeral_response(struct coding *c, void *message, void *plain)
{
    PB(OpenEphemeralResource__Response) *w = message;
    struct open_ephemeral_response *r = plain;
    filter_value(c, "result", &w->result, &r->result, coding_type_in(c, &c->schema->ephemerals));
    filter_time(c, &w->renew_at, &r->has_renew_at, &r->renew_at_seconds, &r->renew_at_nanos);
    FILTER_PRIVATE(c, w, r, OPEN_EPHEMERAL_RESOURCE__RESPONSE);
    filter_deferred(c, &w->deferred, &r->deferred);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_open_ephemeral) = {
    NAMED("OpenEphemeralResource"),
    .request = MESSAGE(open_ephemeral_resource__request, open_ephemeral_request, open_ephemeral_request),
    .response = MESSAGE(open_ephemeral_resource__response, open_ephemeral_response, open_ephemeral_response),
};

static void renew_ephemeral_request(struct coding *c, void *message, void *plain)
{
    PB(RenewEphemeralResource__Request) *w = message;
    struct renew_ephemeral_request *r = plain;
    filter_type_name(c, &w->type_name, &r->type_name, &c->schema->ephemerals, "ephemeral resource type");
    FILTER_PRIVATE(c, w, r, RENEW_EPHEMERAL_RESOURCE__REQUEST);
}

static void renew_ephemeral_response(struct coding *c, void *message, void *plain)
{
    PB(RenewEphemeralResource__Response) *w = message;
    struct renew_ephemeral_response *r = plain;
    filter_time(c, &w->renew_at, &r->has_renew_at, &r->renew_at_seconds, &r->renew_at_nanos);
    FILTER_PRIVATE(c, w, r, RENEW_EPHEMERAL_RESOURCE__RESPONSE);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_renew_ephemeral) = {
    NAMED("RenewEphemeralResource"),
    .request = MESSAGE(renew_ephemeral_resource__request, renew_ephemeral_request, renew_ephemeral_request),
    .response = MESSAGE(renew_ephemeral_resource__response, renew_ephemeral_response, renew_ephemeral_response),
};

static void close_ephemeral_request(struct coding *c, void *message, void *plain)
{
    PB(CloseEphemeralResource__Request) *w = message;
    struct close_ephemeral_request *r = plain;
    filter_type_name(c, &w->type_name, &r->type_name, &c->schema->ephemerals, "ephemeral resource type");
    FILTER_PRIVATE(c, w, r, CLOSE_EPHEMERAL_RESOURCE__REQUEST);
}

static void close_ephemeral_response(struct coding *c, void *message, void *plain)
{
    (void)plain;
    PB(CloseEphemeralResource__Response) *w = message;
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_close_ephemeral) = {
    NAMED("CloseEphemeralResource"),
    .request = MESSAGE(close_ephemeral_resource__request, close_ephemeral_request, close_ephemeral_request),
    .response = NO_STRUCT(close_ephemeral_resource__response, close_ephemeral_response),
};

/* Functions */

static const struct schema_function *function_of(const struct coding *c)
{
    return map_get(&c->schema->functions, c->type_name);
}

/* NULL: the function takes no such argument. */
static const struct type *argument_type(const struct schema_function *f, size_t i)
{
    if (i < f->n_parameters)
        return f->parameters[i].type;
    return f->variadic ? f->variadic->type : NULL;
}

static void filter_argument(struct coding *c, PB(DynamicValue) * *wire, const struct value **plain, size_t i)
{
    struct str field = arena_printf(c->scratch, "argument %zu", i + 1);
    const struct type *t = argument_type(function_of(c), i);
    if (t)
        filter_value(c, field.p, wire, plain, t);
    else
        coding_fail(c, field.p, STR("the function has fewer parameters"));
    if (!c->failed && (coding_is_writing(c) ? !*wire : !*plain))
        coding_fail(c, field.p, STR("an argument has no value"));
}

static void call_function_request(struct coding *c, void *message, void *plain)
{
    PB(CallFunction__Request) *w = message;
    struct call_function_request *r = plain;
    filter_type_name(c, &w->name, &r->name, &c->schema->functions, "function");
    if (c->failed)
        return;
    if (coding_is_writing(c)) {
        w->arguments = arena_make_n(c->scratch, PB(DynamicValue) *, r->n_arguments);
        for (size_t i = 0; i < r->n_arguments && !c->failed; i++) {
            const struct value *argument = r->arguments[i];
            filter_argument(c, &w->arguments[i], &argument, i);
        }
        w->n_arguments = r->n_arguments;
        return;
    }
    const struct value **arguments = arena_make_n(c->arena, const struct value *, w->n_arguments);
    for (size_t i = 0; i < w->n_arguments && !c->failed; i++)
        filter_argument(c, &w->arguments[i], &arguments[i], i);
    r->arguments = arguments;
    r->n_arguments = w->n_arguments;
}

static PB(FunctionError) * write_function_error(struct coding *c, const struct call_function_response *r)
{
    /* This call has no diagnostics: an error in reading the request or writing the result becomes its error. */
    const struct diags *said = c->answer && c->answer->n > 0 ? c->answer : c->diags;
    if (!r->has_error && said->n == 0)
        return NULL;
    PB(FunctionError) *wire = message_new(c->scratch, PB_DESCRIPTOR(function_error));
    if (!r->has_error) {
        wire->text = to_wire(text_clean(c->scratch, said->v[0].detail.n > 0 ? said->v[0].detail : said->v[0].summary));
        return wire;
    }
    wire->text = to_wire(text_clean(c->scratch, r->error));
    if (r->error_argument >= 0) {
        wire->function_argument_opt_case = PB_ENUM(FUNCTION_ERROR__FUNCTION_ARGUMENT_OPT_FUNCTION_ARGUMENT);
        wire->function_argument = r->error_argument;
    }
    return wire;
}

static void read_function_error(struct coding *c, const PB(FunctionError) * wire, struct call_function_response *ret)
{
    ret->has_error = wire != NULL;
    ret->error = wire ? text_clean(c->arena, arena_str(c->arena, from_wire(wire->text))) : STR_EMPTY;
    bool has_argument = wire && wire->function_argument_opt_case != 0 && wire->function_argument >= 0;
    ret->error_argument = has_argument ? wire->function_argument : -1;
}

static void call_function_response(struct coding *c, void *message, void *plain)
{
    PB(CallFunction__Response) *w = message;
    struct call_function_response *r = plain;
    const struct schema_function *f = function_of(c);
    filter_value(c, "result", &w->result, &r->result, f ? f->return_type : NULL);
    if (!coding_is_writing(c)) {
        read_function_error(c, w->error, r);
        return;
    }
    w->error = write_function_error(c, r);
    if (w->error)
        w->result = NULL;
}

const struct codec_call VERSIONED(call_call_function) = {
    NAMED("CallFunction"),
    .request = MESSAGE(call_function__request, call_function_request, call_function_request),
    .response = MESSAGE(call_function__response, call_function_response, call_function_response),
};
