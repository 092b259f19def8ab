/*
 * Maps a call's method to a function of provider_ops, and sends its answer.
 *
 * Everything here is made in dispatch_new() and then only read (the chunk sizes of state stores are atomic), so calls may run
 * concurrently on any number of threads. Constant responses (schema, identities, functions, metadata) are encoded once and sent
 * as bytes.
 */
#include "plugin/dispatch.h"

#include "plugin/dispatch_private.h"
#include "protocol/proto_wire.h"

/* Whether the provider has the function, and how to call it */

struct op {
    bool (*has)(const struct provider_ops *ops);
    void (*run)(const struct dispatch *d, struct arena *a, const void *request, struct diags *diags, void *response);
    bool may_be_absent;      /* without a function the call succeeds and does nothing */
    dispatch_stream *stream; /* not NULL: used instead of run, for calls with streams */
};

#define OP_HAS(name)                                                                                                             \
    static bool has_##name(const struct provider_ops *ops)                                                                       \
    {                                                                                                                            \
        return ops->name != NULL;                                                                                                \
    }
#define OP(name)                                                                                                                 \
    OP_HAS(name)                                                                                                                 \
    static void run_##name(const struct dispatch *d, struct arena *a, const void *request, struct diags *diags, void *response)  \
    {                                                                                                                            \
        d->ops->name(d->ctx, a, request, diags, response);                                                                       \
    }
#define OP_EMPTY(name)                                                                                                           \
    OP_HAS(name)                                                                                                                 \
    static void run_##name(const struct dispatch *d, struct arena *a, const void *request, struct diags *diags, void *response)  \
    {                                                                                                                            \
        (void)response;                                                                                                          \
        d->ops->name(d->ctx, a, request, diags);                                                                                 \
    }

OP_EMPTY(validate_resource)
OP_EMPTY(validate_data)
OP_EMPTY(validate_ephemeral)
OP_EMPTY(validate_list)
OP_EMPTY(validate_action)
OP_EMPTY(configure)
OP(upgrade_identity)
OP(read)
OP(plan)
OP(apply)
OP(import)
OP(move)
OP(generate_config)
OP(read_data)
OP(open_ephemeral)
OP(renew_ephemeral)
OP_EMPTY(close_ephemeral)
OP(call_function)
OP(plan_action)
OP_EMPTY(validate_state_store)
OP(lock_state)
OP_EMPTY(unlock_state)
OP(get_states)
OP_EMPTY(delete_state)
OP_HAS(list)
OP_HAS(invoke_action)
OP_HAS(read_state)
OP_HAS(write_state)

/* Three calls with rules of their own, which apply with and without a function. */
static bool has_always(const struct provider_ops *ops)
{
    (void)ops;
    return true;
}

static void run_validate_provider(const struct dispatch *d, struct arena *a, const void *request, struct diags *diags,
                                  void *response)
{
    const struct validate_provider_request *asked = request;
    struct validate_provider_response *answer = response;
    answer->prepared = asked->config; /* protocol 5 returns the prepared configuration */
    if (d->ops->validate_provider)
        d->ops->validate_provider(d->ctx, a, request, diags, response);
}

static const struct provider_schema *schema_of_type(const struct dispatch *d, struct str type_name, struct diags *diags)
{
    const struct provider_schema *s = d->ops->schema_of ? d->ops->schema_of(d->ctx, type_name, diags) : NULL;
    return s ? s : d->schema;
}

static void run_upgrade_state(const struct dispatch *d, struct arena *a, const void *request, struct diags *diags, void *response)
{
    if (d->ops->upgrade_state)
        d->ops->upgrade_state(d->ctx, a, request, diags, response);
    else
        dispatch_default_upgrade(schema_of_type(d, ((const struct upgrade_state_request *)request)->type_name, diags), a, request,
                                 diags, response);
}

static void run_stop(const struct dispatch *d, struct arena *a, const void *request, struct diags *diags, void *response)
{
    (void)a;
    (void)request;
    (void)diags;
    (void)response;
    if (d->ops->stop)
        d->ops->stop(d->ctx);
}

/* Sends the response and ends the call. */
static void answer(struct grpc_call *call, struct str bytes)
{
    if (grpc_call_send(call, bytes))
        grpc_call_finish(call, GRPC_OK, STR_EMPTY);
}

void dispatch_answer(struct coding *c, struct grpc_call *call, const void *response, const struct diags *diags)
{
    struct buf bytes BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
    if (coding_write_response(c, response, diags, &bytes))
        answer(call, buf_str(&bytes));
    else
        grpc_call_finish(call, GRPC_RESOURCE_EXHAUSTED, STR("the response is larger than a message may be"));
}

/* False: the diagnostics say why; the reason is the type's schema or the message. */
static bool read_request(struct coding *c, struct str message, void *ret)
{
    return !diags_has_errors(c->diags) && coding_read_request(c, message, ret);
}

static void call_unary(const struct dispatch *d, const struct op *op, struct coding *c, struct grpc_call *call,
                       struct str message)
{
    struct arena *a = c->arena;
    void *request = arena_alloc(a, d->codec->calls[c->rpc]->request.size, alignof(max_align_t));
    if (!read_request(c, message, request)) {
        dispatch_answer(c, call, NULL, c->diags);
        return;
    }
    void *response = coding_empty_response(c);
    if (op->has(d->ops))
        op->run(d, a, request, c->diags, response);
    dispatch_answer(c, call, response, c->diags);
}

/* Streams of events */

struct event_sink {
    struct coding *coding;
    struct grpc_call *call;
    bool completed; /* of an action: the last event has been sent */
};

bool dispatch_send(struct coding *c, struct grpc_call *call, const void *event, const struct diags *diags)
{
    struct buf bytes BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
    return coding_write_response(c, event, diags, &bytes) && grpc_call_send(call, buf_str(&bytes));
}

static bool send_event(struct event_sink *sink, const void *event, const struct diags *diags)
{
    return dispatch_send(sink->coding, sink->call, event, diags);
}

bool event_sink_list(struct event_sink *sink, const struct list_event *event)
{
    return send_event(sink, event, NULL);
}

bool event_sink_action(struct event_sink *sink, const struct action_event *event, const struct diags *diags)
{
    sink->completed |= event->completed;
    return send_event(sink, event, diags);
}

static void call_list(const struct dispatch *d, struct coding *c, struct grpc_call *call, struct str message)
{
    struct event_sink sink = {.coding = c, .call = call};
    struct list_request request;
    if (read_request(c, message, &request))
        d->ops->list(d->ctx, c->arena, &request, &sink);
    else
        (void)send_event(&sink, &(struct list_event){.display_name = STR_EMPTY, .diags = c->diags}, NULL);
    grpc_call_finish(call, GRPC_OK, STR_EMPTY);
}

static void call_action(const struct dispatch *d, struct coding *c, struct grpc_call *call, struct str message)
{
    struct event_sink sink = {.coding = c, .call = call};
    struct invoke_action_request request;
    if (read_request(c, message, &request))
        d->ops->invoke_action(d->ctx, c->arena, &request, &sink);
    if (!sink.completed)
        (void)send_event(&sink, &(struct action_event){.completed = true, .progress = STR_EMPTY}, c->diags);
    grpc_call_finish(call, GRPC_OK, STR_EMPTY);
}

/* Which calls there are */

/* clang-format off */
#define NEEDED(name) {.has = has_##name, .run = run_##name}
#define OPTIONAL(name) {.has = has_##name, .run = run_##name, .may_be_absent = true}
#define ALWAYS(function) {.has = has_always, .run = function}
#define STREAMED(name, function) {.has = has_##name, .stream = function}
/* clang-format on */
static const struct op ops_by_rpc[RPC_COUNT] = {
    [RPC_VALIDATE_PROVIDER] = ALWAYS(run_validate_provider),
    [RPC_VALIDATE_RESOURCE] = OPTIONAL(validate_resource),
    [RPC_VALIDATE_DATA] = OPTIONAL(validate_data),
    [RPC_VALIDATE_EPHEMERAL] = OPTIONAL(validate_ephemeral),
    [RPC_VALIDATE_LIST] = OPTIONAL(validate_list),
    [RPC_VALIDATE_ACTION] = OPTIONAL(validate_action),
    [RPC_CONFIGURE] = OPTIONAL(configure),
    [RPC_UPGRADE_STATE] = ALWAYS(run_upgrade_state),
    [RPC_UPGRADE_IDENTITY] = NEEDED(upgrade_identity),
    [RPC_READ] = NEEDED(read),
    [RPC_PLAN] = NEEDED(plan),
    [RPC_APPLY] = NEEDED(apply),
    [RPC_IMPORT] = NEEDED(import),
    [RPC_MOVE] = NEEDED(move),
    [RPC_GENERATE_CONFIG] = NEEDED(generate_config),
    [RPC_READ_DATA] = NEEDED(read_data),
    [RPC_OPEN_EPHEMERAL] = NEEDED(open_ephemeral),
    [RPC_RENEW_EPHEMERAL] = NEEDED(renew_ephemeral),
    [RPC_CLOSE_EPHEMERAL] = NEEDED(close_ephemeral),
    [RPC_CALL_FUNCTION] = NEEDED(call_function),
    [RPC_LIST] = STREAMED(list, call_list),
    [RPC_PLAN_ACTION] = NEEDED(plan_action),
    [RPC_INVOKE_ACTION] = STREAMED(invoke_action, call_action),
    [RPC_STOP] = ALWAYS(run_stop),
    [RPC_VALIDATE_STATE_STORE] = OPTIONAL(validate_state_store),
    [RPC_CONFIGURE_STATE_STORE] = ALWAYS(dispatch_configure_state_store),
    [RPC_READ_STATE] = STREAMED(read_state, dispatch_read_state),
    [RPC_WRITE_STATE] = STREAMED(write_state, dispatch_write_state),
    [RPC_LOCK_STATE] = NEEDED(lock_state),
    [RPC_UNLOCK_STATE] = NEEDED(unlock_state),
    [RPC_GET_STATES] = NEEDED(get_states),
    [RPC_DELETE_STATE] = NEEDED(delete_state),
};

static bool is_served(const struct dispatch *d, enum rpc rpc)
{
    const struct op *op = &ops_by_rpc[rpc];
    return d->fixed[rpc].p || (op->has && (op->may_be_absent || op->has(d->ops)));
}

/* In every call about a type, the type's name is the first field. */
static const struct provider_schema *schema_for(const struct dispatch *d, struct str message, struct diags *diags)
{
    struct proto_field field;
    while (d->ops->schema_of && proto_next(&message, &field))
        if (field.number == 1 && field.type == PROTO_BYTES)
            return schema_of_type(d, field.bytes, diags);
    return d->schema;
}

static void serve(const struct dispatch *d, enum rpc rpc, struct grpc_call *call, struct str message)
{
    if (d->fixed[rpc].p) {
        answer(call, d->fixed[rpc]);
        return;
    }
    struct arena *a = grpc_call_arena(call);
    struct diags diags;
    diags_init(&diags, a);
    struct coding c = {.codec = d->codec,
                       .rpc = rpc,
                       .schema = schema_for(d, message, &diags),
                       .arena = a,
                       .diags = &diags,
                       .provider = STR_EMPTY};
    const struct op *op = &ops_by_rpc[rpc];
    if (op->stream)
        op->stream(d, &c, call, message);
    else
        call_unary(d, op, &c, call, message);
}

/* "/tfplugin6.Provider/" */
static bool is_provider_service(const struct dispatch *d, struct str method)
{
    const struct codec_call *any = d->codec->calls[RPC_SCHEMA];
    return str_starts(method, str_slice(any->method, 0, any->method.n - any->name.n));
}

bool dispatch_call(struct dispatch *d, struct grpc_call *call)
{
    struct str method = grpc_call_method(call), message;
    if (!is_provider_service(d, method))
        return false;
    if (!grpc_call_recv(call, &message)) {
        grpc_call_finish(call, GRPC_INVALID_ARGUMENT, STR("the call has no message"));
        return true;
    }
    if (d->ops->intercept && d->ops->intercept(d->ctx, call, message))
        return true;
    enum rpc rpc = codec_find(d->codec, method);
    if (rpc != RPC_COUNT && is_served(d, rpc))
        serve(d, rpc, call, message);
    else
        grpc_call_finish(call, GRPC_UNIMPLEMENTED, STR("this provider does not implement the call"));
    return true;
}

/* What is encoded once */

static void names_of(struct arena *a, const struct map *map, struct str **ret, size_t *ret_n)
{
    *ret = arena_make_n(a, struct str, map->n);
    *ret_n = map->n;
    for (size_t i = 0; i < map->n; i++)
        (*ret)[i] = map->entries[i].key;
}

static bool encode_metadata(const struct dispatch *d, struct buf *out, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    const struct provider_schema *s = d->schema;
    struct metadata_response r = {.capabilities = s->capabilities};
    names_of(scratch, &s->data_sources, &r.data_sources, &r.n_data_sources);
    names_of(scratch, &s->resources, &r.resources, &r.n_resources);
    names_of(scratch, &s->functions, &r.functions, &r.n_functions);
    names_of(scratch, &s->ephemerals, &r.ephemerals, &r.n_ephemerals);
    names_of(scratch, &s->lists, &r.lists, &r.n_lists);
    names_of(scratch, &s->state_stores, &r.state_stores, &r.n_state_stores);
    names_of(scratch, &s->actions, &r.actions, &r.n_actions);
    struct coding c = {.codec = d->codec, .rpc = RPC_METADATA, .arena = scratch, .diags = diags};
    return coding_write_response(&c, &r, NULL, out);
}

/* Takes the responses that the provider has as bytes, so that they need not be encoded. */
static void take_ready(struct dispatch *d)
{
    static const enum rpc calls[] = {[SERVER_READY_METADATA] = RPC_METADATA,
                                     [SERVER_READY_SCHEMA] = RPC_SCHEMA,
                                     [SERVER_READY_IDENTITIES] = RPC_IDENTITY_SCHEMAS};
    for (size_t i = 0; d->ops->ready && i < sizeof calls / sizeof calls[0]; i++) {
        struct str bytes = d->ops->ready(d->ctx, d->codec->protocol, (enum server_ready)i);
        if (bytes.n > 0)
            d->fixed[calls[i]] = bytes;
    }
}

static bool encode_fixed(struct dispatch *d, struct diags *diags)
{
    struct buf schema BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE), identities BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE),
                      functions BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE), metadata BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
    if (!d->codec->encode_schema(&schema, d->schema, diags) || !d->codec->encode_identities(&identities, d->schema, diags) ||
        !d->codec->encode_functions(&functions, d->schema, diags) || !encode_metadata(d, &metadata, diags))
        return false;
    d->fixed[RPC_SCHEMA] = buf_copy(&schema, d->arena);
    d->fixed[RPC_IDENTITY_SCHEMAS] = buf_copy(&identities, d->arena);
    d->fixed[RPC_FUNCTIONS] = buf_copy(&functions, d->arena);
    d->fixed[RPC_METADATA] = buf_copy(&metadata, d->arena);
    take_ready(d);
    return true;
}

struct dispatch *dispatch_new(const struct provider_ops *ops, void *ctx, int protocol, struct diags *diags)
{
    struct arena *a = arena_new(NULL, 0);
    struct dispatch *d = arena_make(a, struct dispatch);
    *d = (struct dispatch){.arena = a, .ops = ops, .ctx = ctx, .codec = codec_for(protocol), .schema = ops->schema(ctx, diags)};
    if (d->schema && encode_fixed(d, diags)) {
        dispatch_prepare_stores(d);
        return d;
    }
    arena_free(a);
    return NULL;
}

void dispatch_free(struct dispatch *d)
{
    if (d)
        arena_free(d->arena);
}
