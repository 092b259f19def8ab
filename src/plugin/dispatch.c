/*
 * From a method's name to a function of provider_ops and back.
 *
 * Everything here is made in dispatch_new() and then only read, so calls may run at once on any number of threads. What never
 * changes (schema, identities, functions, metadata) is encoded once and sent as bytes.
 */
#include "plugin/dispatch.h"

#include "plugin/codec.h"
#include "plugin/dispatch_private.h"

struct dispatch {
    struct arena *arena;
    const struct provider_ops *ops;
    void *ctx;
    const struct codec *codec;
    const struct provider_schema *schema;
    struct str fixed[RPC_COUNT]; /* responses that are always the same; p NULL: not one of these */
};

/* Unary calls: whether the provider has the function, and how to call it */

struct op {
    bool (*has)(const struct provider_ops *ops);
    void (*run)(const struct dispatch *d, struct arena *a, const void *request, struct diags *diags, void *response);
    bool may_be_absent; /* then it is answered as if it had done nothing */
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

/* Three with a rule of their own, which hold with and without a function. */
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
    answer->prepared = asked->config; /* protocol 5 wants it back */
    if (d->ops->validate_provider)
        d->ops->validate_provider(d->ctx, a, request, diags, response);
}

static void run_upgrade_state(const struct dispatch *d, struct arena *a, const void *request, struct diags *diags, void *response)
{
    if (d->ops->upgrade_state)
        d->ops->upgrade_state(d->ctx, a, request, diags, response);
    else
        dispatch_default_upgrade(d->schema, a, request, diags, response);
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

static const struct op ops_by_rpc[RPC_COUNT] = {
    [RPC_VALIDATE_PROVIDER] = {has_always, run_validate_provider, false},
    [RPC_VALIDATE_RESOURCE] = {has_validate_resource, run_validate_resource, true},
    [RPC_VALIDATE_DATA] = {has_validate_data, run_validate_data, true},
    [RPC_VALIDATE_EPHEMERAL] = {has_validate_ephemeral, run_validate_ephemeral, true},
    [RPC_VALIDATE_LIST] = {has_validate_list, run_validate_list, true},
    [RPC_VALIDATE_ACTION] = {has_validate_action, run_validate_action, true},
    [RPC_CONFIGURE] = {has_configure, run_configure, true},
    [RPC_UPGRADE_STATE] = {has_always, run_upgrade_state, false},
    [RPC_UPGRADE_IDENTITY] = {has_upgrade_identity, run_upgrade_identity, false},
    [RPC_READ] = {has_read, run_read, false},
    [RPC_PLAN] = {has_plan, run_plan, false},
    [RPC_APPLY] = {has_apply, run_apply, false},
    [RPC_IMPORT] = {has_import, run_import, false},
    [RPC_MOVE] = {has_move, run_move, false},
    [RPC_GENERATE_CONFIG] = {has_generate_config, run_generate_config, false},
    [RPC_READ_DATA] = {has_read_data, run_read_data, false},
    [RPC_OPEN_EPHEMERAL] = {has_open_ephemeral, run_open_ephemeral, false},
    [RPC_RENEW_EPHEMERAL] = {has_renew_ephemeral, run_renew_ephemeral, false},
    [RPC_CLOSE_EPHEMERAL] = {has_close_ephemeral, run_close_ephemeral, false},
    [RPC_CALL_FUNCTION] = {has_call_function, run_call_function, false},
    [RPC_PLAN_ACTION] = {has_plan_action, run_plan_action, false},
    [RPC_STOP] = {has_always, run_stop, false},
};

/* Sends the response and ends the call. */
static void answer(struct grpc_call *call, struct str bytes)
{
    if (grpc_call_send(call, bytes))
        grpc_call_finish(call, GRPC_OK, STR_EMPTY);
}

static void answer_with(struct coding *c, struct grpc_call *call, const void *response, const struct diags *diags)
{
    struct buf bytes BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
    if (coding_write_response(c, response, diags, &bytes))
        answer(call, buf_str(&bytes));
    else
        grpc_call_finish(call, GRPC_RESOURCE_EXHAUSTED, STR("the response is larger than a message may be"));
}

static void call_unary(const struct dispatch *d, const struct op *op, struct coding *c, struct grpc_call *call,
                       struct str message)
{
    struct arena *a = c->arena;
    void *request = arena_alloc(a, d->codec->calls[c->rpc]->request.size, alignof(max_align_t));
    if (!coding_read_request(c, message, request)) {
        answer_with(c, call, NULL, c->diags);
        return;
    }
    void *response = coding_empty_response(c);
    if (op->has(d->ops))
        op->run(d, a, request, c->diags, response);
    answer_with(c, call, response, c->diags);
}

/* Streams of events */

struct event_sink {
    struct coding *coding;
    struct grpc_call *call;
    bool completed; /* of an action: the last event has been sent */
};

static bool send_event(struct event_sink *sink, const void *event, const struct diags *diags)
{
    struct buf bytes BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
    return coding_write_response(sink->coding, event, diags, &bytes) && grpc_call_send(sink->call, buf_str(&bytes));
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
    if (coding_read_request(c, message, &request))
        d->ops->list(d->ctx, c->arena, &request, &sink);
    else
        (void)send_event(&sink, &(struct list_event){.display_name = STR_EMPTY, .diags = c->diags}, NULL);
    grpc_call_finish(call, GRPC_OK, STR_EMPTY);
}

static void call_action(const struct dispatch *d, struct coding *c, struct grpc_call *call, struct str message)
{
    struct event_sink sink = {.coding = c, .call = call};
    struct invoke_action_request request;
    if (coding_read_request(c, message, &request))
        d->ops->invoke_action(d->ctx, c->arena, &request, &sink);
    if (!sink.completed)
        (void)send_event(&sink, &(struct action_event){.completed = true, .progress = STR_EMPTY}, c->diags);
    grpc_call_finish(call, GRPC_OK, STR_EMPTY);
}

/* Which calls there are */

static bool is_served(const struct dispatch *d, enum rpc rpc)
{
    if (rpc == RPC_LIST)
        return d->ops->list != NULL;
    if (rpc == RPC_INVOKE_ACTION)
        return d->ops->invoke_action != NULL;
    const struct op *op = &ops_by_rpc[rpc];
    return d->fixed[rpc].p || (op->has && (op->may_be_absent || op->has(d->ops)));
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
    struct coding c = {.codec = d->codec, .rpc = rpc, .schema = d->schema, .arena = a, .diags = &diags, .provider = STR_EMPTY};
    if (rpc == RPC_LIST)
        call_list(d, &c, call, message);
    else if (rpc == RPC_INVOKE_ACTION)
        call_action(d, &c, call, message);
    else
        call_unary(d, &ops_by_rpc[rpc], &c, call, message);
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
    return true;
}

struct dispatch *dispatch_new(const struct provider_ops *ops, void *ctx, int protocol, struct diags *diags)
{
    struct arena *a = arena_new(NULL, 0);
    struct dispatch *d = arena_make(a, struct dispatch);
    *d = (struct dispatch){.arena = a, .ops = ops, .ctx = ctx, .codec = codec_for(protocol), .schema = ops->schema(ctx, diags)};
    if (d->schema && encode_fixed(d, diags))
        return d;
    arena_free(a);
    return NULL;
}

void dispatch_free(struct dispatch *d)
{
    if (d)
        arena_free(d->arena);
}
