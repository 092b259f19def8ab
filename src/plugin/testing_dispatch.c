#include "plugin/testing_dispatch.h"

#include <stdio.h>
#include <unistd.h>

enum { MAX_CALLS = 32 };
#define PATIENCE (5 * NS_PER_S)

/* The provider: it answers with the sample if the request is the sample. */

static void compare_request(const struct world *w, struct arena *a, enum rpc rpc, const void *request, struct diags *diags)
{
    struct str expected = testing_request_text(a, rpc, testing_request(a, &w->schema, rpc, w->protocol));
    struct str found = testing_request_text(a, rpc, request);
    if (!str_eq(expected, found))
        diags_fail(diags, "request differs", "expected:\n" STR_FMT "\nfound:\n" STR_FMT, STR_ARG(expected), STR_ARG(found));
}

#define SAMPLE(id, name, request_type, response_type)                                                                            \
    static void sample_##name(void *ctx, struct arena *a, const struct request_type *request, struct diags *diags,               \
                              struct response_type *response)                                                                    \
    {                                                                                                                            \
        struct world *w = ctx;                                                                                                   \
        w->n_calls++;                                                                                                            \
        compare_request(w, a, RPC_##id, request, diags);                                                                         \
        const struct response_type *sample = testing_response(a, &w->schema, RPC_##id, w->protocol);                             \
        *response = *sample;                                                                                                     \
        if (RPC_##id != RPC_CALL_FUNCTION) /* whose response has its own error field */                                          \
            testing_diags(diags);                                                                                                \
    }
#define SAMPLE_EMPTY(id, name, request_type)                                                                                     \
    static void sample_##name(void *ctx, struct arena *a, const struct request_type *request, struct diags *diags)               \
    {                                                                                                                            \
        struct world *w = ctx;                                                                                                   \
        w->n_calls++;                                                                                                            \
        compare_request(w, a, RPC_##id, request, diags);                                                                         \
        testing_diags(diags);                                                                                                    \
    }

RPC_CALLS(SAMPLE, SAMPLE_EMPTY)
RPC_STATE_STORE_CALLS(SAMPLE, SAMPLE_EMPTY)

static void sample_list(void *ctx, struct arena *a, const struct list_request *request, struct event_sink *sink)
{
    struct world *w = ctx;
    struct diags d;
    diags_init(&d, a);
    compare_request(w, a, RPC_LIST, request, &d);
    if (d.n > 0)
        (void)event_sink_list(sink, &(struct list_event){.display_name = STR("request differs"), .diags = &d});
    for (size_t i = 0; i < WORLD_EVENTS; i++)
        if (!event_sink_list(sink, testing_response(a, &w->schema, RPC_LIST, w->protocol)))
            return;
}

static void sample_invoke_action(void *ctx, struct arena *a, const struct invoke_action_request *request, struct event_sink *sink)
{
    struct world *w = ctx;
    struct diags d;
    diags_init(&d, a);
    compare_request(w, a, RPC_INVOKE_ACTION, request, &d);
    (void)event_sink_action(sink, &(struct action_event){.progress = STR("half way")}, NULL);
    testing_diags(&d);
    (void)event_sink_action(sink, &(struct action_event){.completed = true, .progress = STR_EMPTY}, &d);
}

static void sample_stop(void *ctx)
{
    struct world *w = ctx;
    w->n_calls++;
}

static const struct provider_schema *sample_schema(void *ctx, struct diags *diags)
{
    (void)diags;
    return &((struct world *)ctx)->schema;
}

static bool count_schema_calls(void *ctx, struct grpc_call *call, struct str request)
{
    struct world *w = ctx;
    (void)request;
    if (str_ends(grpc_call_method(call), STR("Schema")))
        w->n_schema_calls++;
    return false;
}

const struct provider_ops world_all_ops = {.schema = sample_schema,
                                           .list = sample_list,
                                           .invoke_action = sample_invoke_action,
                                           .stop = sample_stop,
                                           .intercept = count_schema_calls,
#define OP(id, name, ...) .name = sample_##name,
                                           RPC_CALLS(OP, OP) RPC_STATE_STORE_CALLS(OP, OP)
#undef OP
};

const struct provider_ops world_no_ops = {.schema = sample_schema};

/* Both sides */

static void handle(void *ctx, struct grpc_call *call)
{
    struct world *w = ctx;
    if (!dispatch_call(w->dispatch, call))
        grpc_call_finish(call, GRPC_UNIMPLEMENTED, STR("unknown method"));
}

static int64_t soon(void)
{
    return clock_now(&system_clock) + PATIENCE;
}

void world_begin(struct world *w, int protocol, const struct provider_ops *ops)
{
    static int n; /* a test that fails leaves its socket behind */
    *w = (struct world){.protocol = protocol, .arena = arena_new(NULL, 0), .ops = *ops, .loop = loop_new()};
    diags_init(&w->diags, w->arena);
    w->schema = *testing_schema(w->arena, protocol);
    w->dispatch = dispatch_new(&w->ops, w, protocol, &w->diags);
    assert_non_null(w->dispatch);
    struct grpc_server_options options = {
        .loop = w->loop,
        .address = {GRPC_UNIX, arena_printf(w->arena, "/tmp/terrane-dispatch-%d-%d.sock", (int)getpid(), n++)},
        .max_message = PLUGIN_MAX_MESSAGE,
        .max_calls = MAX_CALLS,
        .handler = handle,
        .ctx = w,
    };
    assert_true(grpc_server_start(&options, &w->diags, &w->server));
    struct reattach r = {.protocol = protocol, .pid = getpid(), .test = true, .address = grpc_server_address(w->server)};
    assert_true(provider_attach(w->loop, NULL, STR("test"), &r, &w->diags, &w->provider));
}

void world_end(struct world *w)
{
    provider_free(w->provider);
    grpc_server_free(w->server, soon());
    dispatch_free(w->dispatch);
    loop_free(w->loop);
    arena_free(w->arena);
}

void must_be_equal(const char *what, struct str expected, struct str found)
{
    if (!str_eq(expected, found))
        fail_msg("%s: expected:\n" STR_FMT "\nfound:\n" STR_FMT, what, STR_ARG(expected), STR_ARG(found));
}

void must_have_sample_diags(struct world *w, const char *what)
{
    struct diags sample;
    diags_init(&sample, w->arena);
    testing_diags(&sample);
    must_be_equal(what, testing_diags_text(w->arena, &sample), testing_diags_text(w->arena, &w->diags));
    diags_init(&w->diags, w->arena);
}

void must_be_clean(struct world *w, const char *what)
{
    must_be_equal(what, STR_EMPTY, testing_diags_text(w->arena, &w->diags));
}

void must_fail(struct world *w, const char *summary, const char *part)
{
    assert_int_equal(w->diags.n, 1);
    assert_string_equal(w->diags.v[0].summary.p, summary);
    if (!strstr(w->diags.v[0].detail.p, part))
        fail_msg("\"%s\" is not in: %s", part, w->diags.v[0].detail.p);
    diags_init(&w->diags, w->arena);
}

void *world_read_once(void *arg)
{
    struct world *w = arg;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags d;
    diags_init(&d, a);
    struct read_response r;
    const void *request = testing_request(a, &w->schema, RPC_READ, w->protocol);
    return provider_read(w->provider, a, request, NULL, &d, &r) == PROVIDER_OK ? w : NULL;
}

bool on_list_event(void *ctx, const struct list_event *event)
{
    struct events *e = ctx;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    must_be_equal("list event", testing_response_text(a, RPC_LIST, testing_response(a, &e->w->schema, RPC_LIST, e->w->protocol)),
                  testing_response_text(a, RPC_LIST, event));
    return ++e->n != e->stop_at;
}

bool on_action_event(void *ctx, const struct action_event *event)
{
    struct events *e = ctx;
    e->n++;
    e->completed |= event->completed;
    if (event->progress.n > 0)
        (void)snprintf(e->progress, sizeof e->progress, STR_FMT, STR_ARG(event->progress));
    return true;
}
