/*
 * Client and server of the protocol against each other, over a real socket: every call of provider.h arrives at its function of
 * provider_ops with every field, and every field of the answer comes back; then what happens when something goes wrong.
 */
#include "plugin/dispatch.h"

#include "plugin/codec_testing.h"
#include "plugin/provider_private.h"
#include "plugin/wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

enum { MAX_CALLS = 32, N_THREADS = 4, MAX_BYTES = 1 << 20 };
#define PATIENCE (5 * NS_PER_S)

struct world {
    int protocol;
    struct arena *arena;
    struct diags diags;
    struct provider_schema schema; /* a copy, so that a test may change it */
    struct provider_ops ops;
    struct loop *loop;
    struct dispatch *dispatch;
    struct grpc_server *server;
    struct provider *provider;
    atomic_int n_schema_calls, n_calls;
};

/* The provider: it answers with the sample if it was asked with the sample. */

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
        compare_request(w, a, id, request, diags);                                                                               \
        const struct response_type *sample = testing_response(a, &w->schema, id, w->protocol);                                   \
        *response = *sample;                                                                                                     \
        testing_diags(diags);                                                                                                    \
    }
#define SAMPLE_EMPTY(id, name, request_type)                                                                                     \
    static void sample_##name(void *ctx, struct arena *a, const struct request_type *request, struct diags *diags)               \
    {                                                                                                                            \
        struct world *w = ctx;                                                                                                   \
        w->n_calls++;                                                                                                            \
        compare_request(w, a, id, request, diags);                                                                               \
        testing_diags(diags);                                                                                                    \
    }

SAMPLE(RPC_VALIDATE_PROVIDER, validate_provider, validate_provider_request, validate_provider_response)
SAMPLE_EMPTY(RPC_VALIDATE_RESOURCE, validate_resource, validate_request)
SAMPLE_EMPTY(RPC_VALIDATE_DATA, validate_data, validate_request)
SAMPLE_EMPTY(RPC_VALIDATE_EPHEMERAL, validate_ephemeral, validate_request)
SAMPLE_EMPTY(RPC_VALIDATE_LIST, validate_list, validate_list_request)
SAMPLE_EMPTY(RPC_VALIDATE_ACTION, validate_action, validate_request)
SAMPLE_EMPTY(RPC_CONFIGURE, configure, configure_request)
SAMPLE(RPC_UPGRADE_STATE, upgrade_state, upgrade_state_request, upgrade_state_response)
SAMPLE(RPC_UPGRADE_IDENTITY, upgrade_identity, upgrade_identity_request, upgrade_identity_response)
SAMPLE(RPC_READ, read, read_request, read_response)
SAMPLE(RPC_PLAN, plan, plan_request, plan_response)
SAMPLE(RPC_APPLY, apply, apply_request, apply_response)
SAMPLE(RPC_IMPORT, import, import_request, import_response)
SAMPLE(RPC_MOVE, move, move_request, move_response)
SAMPLE(RPC_GENERATE_CONFIG, generate_config, generate_config_request, generate_config_response)
SAMPLE(RPC_READ_DATA, read_data, read_data_request, read_data_response)
SAMPLE(RPC_OPEN_EPHEMERAL, open_ephemeral, open_ephemeral_request, open_ephemeral_response)
SAMPLE(RPC_RENEW_EPHEMERAL, renew_ephemeral, renew_ephemeral_request, renew_ephemeral_response)
SAMPLE_EMPTY(RPC_CLOSE_EPHEMERAL, close_ephemeral, close_ephemeral_request)
SAMPLE(RPC_PLAN_ACTION, plan_action, plan_action_request, plan_action_response)

static void sample_call_function(void *ctx, struct arena *a, const struct call_function_request *request, struct diags *diags,
                                 struct call_function_response *response)
{
    struct world *w = ctx;
    compare_request(w, a, RPC_CALL_FUNCTION, request, diags);
    const struct call_function_response *sample = testing_response(a, &w->schema, RPC_CALL_FUNCTION, w->protocol);
    *response = *sample;
}

enum { N_EVENTS = 3 };

static void sample_list(void *ctx, struct arena *a, const struct list_request *request, struct event_sink *sink)
{
    struct world *w = ctx;
    struct diags d;
    diags_init(&d, a);
    compare_request(w, a, RPC_LIST, request, &d);
    if (d.n > 0)
        (void)event_sink_list(sink, &(struct list_event){.display_name = STR("request differs"), .diags = &d});
    for (size_t i = 0; i < N_EVENTS; i++)
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

static const struct provider_ops all_ops = {
    .schema = sample_schema,
    .validate_provider = sample_validate_provider,
    .validate_resource = sample_validate_resource,
    .validate_data = sample_validate_data,
    .validate_ephemeral = sample_validate_ephemeral,
    .validate_list = sample_validate_list,
    .validate_action = sample_validate_action,
    .configure = sample_configure,
    .upgrade_state = sample_upgrade_state,
    .upgrade_identity = sample_upgrade_identity,
    .read = sample_read,
    .plan = sample_plan,
    .apply = sample_apply,
    .import = sample_import,
    .move = sample_move,
    .generate_config = sample_generate_config,
    .read_data = sample_read_data,
    .open_ephemeral = sample_open_ephemeral,
    .renew_ephemeral = sample_renew_ephemeral,
    .close_ephemeral = sample_close_ephemeral,
    .call_function = sample_call_function,
    .list = sample_list,
    .plan_action = sample_plan_action,
    .invoke_action = sample_invoke_action,
    .stop = sample_stop,
    .intercept = count_schema_calls,
};

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

static void begin(struct world *w, int protocol, const struct provider_ops *ops)
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

static void end(struct world *w)
{
    provider_free(w->provider);
    grpc_server_free(w->server, soon());
    dispatch_free(w->dispatch);
    loop_free(w->loop);
    arena_free(w->arena);
}

static void must_be_equal(const char *what, struct str expected, struct str found)
{
    if (!str_eq(expected, found))
        fail_msg("%s: expected:\n" STR_FMT "\nfound:\n" STR_FMT, what, STR_ARG(expected), STR_ARG(found));
}

static void must_have_sample_diags(struct world *w, const char *what)
{
    struct diags sample;
    diags_init(&sample, w->arena);
    testing_diags(&sample);
    must_be_equal(what, testing_diags_text(w->arena, &sample), testing_diags_text(w->arena, &w->diags));
    diags_init(&w->diags, w->arena);
}

static void must_be_clean(struct world *w, const char *what)
{
    must_be_equal(what, STR_EMPTY, testing_diags_text(w->arena, &w->diags));
}

/* Every call */

#define TRY(id, name, request_type, response_type, check)                                                                        \
    do {                                                                                                                         \
        const struct request_type *request = testing_request(w->arena, &w->schema, id, w->protocol);                             \
        struct response_type response;                                                                                           \
        memset(&response, 0x5a, sizeof response);                                                                                \
        assert_int_equal(provider_##name(w->provider, w->arena, request, NULL, &w->diags, &response), PROVIDER_OK);              \
        check(w, #name);                                                                                                         \
        must_be_equal(#name, testing_response_text(w->arena, id, testing_response(w->arena, &w->schema, id, w->protocol)),       \
                      testing_response_text(w->arena, id, &response));                                                           \
    } while (0)
#define TRY_EMPTY(id, name, request_type)                                                                                        \
    do {                                                                                                                         \
        const struct request_type *request = testing_request(w->arena, &w->schema, id, w->protocol);                             \
        assert_int_equal(provider_##name(w->provider, w->arena, request, NULL, &w->diags), PROVIDER_OK);                         \
        must_have_sample_diags(w, #name);                                                                                        \
    } while (0)

static void try_unary_calls(struct world *w)
{
    TRY(RPC_VALIDATE_PROVIDER, validate_provider, validate_provider_request, validate_provider_response, must_have_sample_diags);
    TRY_EMPTY(RPC_VALIDATE_RESOURCE, validate_resource, validate_request);
    TRY_EMPTY(RPC_VALIDATE_DATA, validate_data, validate_request);
    TRY_EMPTY(RPC_VALIDATE_EPHEMERAL, validate_ephemeral, validate_request);
    TRY_EMPTY(RPC_VALIDATE_LIST, validate_list, validate_list_request);
    TRY_EMPTY(RPC_VALIDATE_ACTION, validate_action, validate_request);
    TRY_EMPTY(RPC_CONFIGURE, configure, configure_request);
    TRY(RPC_UPGRADE_STATE, upgrade_state, upgrade_state_request, upgrade_state_response, must_have_sample_diags);
    TRY(RPC_UPGRADE_IDENTITY, upgrade_identity, upgrade_identity_request, upgrade_identity_response, must_have_sample_diags);
    TRY(RPC_READ, read, read_request, read_response, must_have_sample_diags);
    TRY(RPC_PLAN, plan, plan_request, plan_response, must_have_sample_diags);
    TRY(RPC_APPLY, apply, apply_request, apply_response, must_have_sample_diags);
    TRY(RPC_IMPORT, import, import_request, import_response, must_have_sample_diags);
    TRY(RPC_MOVE, move, move_request, move_response, must_have_sample_diags);
    TRY(RPC_GENERATE_CONFIG, generate_config, generate_config_request, generate_config_response, must_have_sample_diags);
    TRY(RPC_READ_DATA, read_data, read_data_request, read_data_response, must_have_sample_diags);
    TRY(RPC_OPEN_EPHEMERAL, open_ephemeral, open_ephemeral_request, open_ephemeral_response, must_have_sample_diags);
    TRY(RPC_RENEW_EPHEMERAL, renew_ephemeral, renew_ephemeral_request, renew_ephemeral_response, must_have_sample_diags);
    TRY_EMPTY(RPC_CLOSE_EPHEMERAL, close_ephemeral, close_ephemeral_request);
    TRY(RPC_CALL_FUNCTION, call_function, call_function_request, call_function_response, must_be_clean);
    TRY(RPC_PLAN_ACTION, plan_action, plan_action_request, plan_action_response, must_have_sample_diags);
}

struct events {
    struct world *w;
    size_t n, stop_at;
    bool completed;
    char progress[64];
};

static bool on_list_event(void *ctx, const struct list_event *event)
{
    struct events *e = ctx;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    must_be_equal("list event", testing_response_text(a, RPC_LIST, testing_response(a, &e->w->schema, RPC_LIST, e->w->protocol)),
                  testing_response_text(a, RPC_LIST, event));
    return ++e->n != e->stop_at;
}

static bool on_action_event(void *ctx, const struct action_event *event)
{
    struct events *e = ctx;
    e->n++;
    e->completed |= event->completed;
    if (event->progress.n > 0)
        (void)snprintf(e->progress, sizeof e->progress, STR_FMT, STR_ARG(event->progress));
    return true;
}

static void try_streams(struct world *w)
{
    struct events e = {.w = w};
    const void *request = testing_request(w->arena, &w->schema, RPC_LIST, w->protocol);
    assert_int_equal(provider_list(w->provider, request, NULL, &w->diags, on_list_event, &e), PROVIDER_OK);
    assert_int_equal(e.n, N_EVENTS);
    e = (struct events){.w = w, .stop_at = 1};
    assert_int_equal(provider_list(w->provider, request, NULL, &w->diags, on_list_event, &e), PROVIDER_OK);
    assert_int_equal(e.n, 1);
    must_be_clean(w, "list");
    e = (struct events){.w = w};
    request = testing_request(w->arena, &w->schema, RPC_INVOKE_ACTION, w->protocol);
    assert_int_equal(provider_invoke_action(w->provider, request, NULL, &w->diags, on_action_event, &e), PROVIDER_OK);
    assert_int_equal(e.n, 2);
    assert_true(e.completed);
    assert_string_equal(e.progress, "half way");
    must_have_sample_diags(w, "invoke_action");
}

static void every_call_arrives_and_is_answered(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++) {
        struct world w;
        begin(&w, protocol, &all_ops);
        assert_int_equal(provider_protocol(w.provider), protocol);
        try_unary_calls(&w);
        try_streams(&w);
        int before = w.n_calls;
        assert_int_equal(provider_stop(w.provider, NULL, &w.diags), PROVIDER_OK);
        assert_int_equal(w.n_calls, before + 1);
        must_be_clean(&w, "stop");
        end(&w);
    }
}

static void the_schema_arrives_whole(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++) {
        struct world w;
        begin(&w, protocol, &all_ops);
        const struct provider_schema *s = provider_schema(w.provider, NULL, &w.diags);
        assert_non_null(s);
        must_be_equal("schema", testing_schema_text(w.arena, &w.schema), testing_schema_text(w.arena, s));
        assert_ptr_equal(provider_schema(w.provider, NULL, &w.diags), s);
        end(&w);
    }
}

static void metadata_names_what_the_schema_has(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 6, &all_ops);
    struct metadata_response r;
    assert_int_equal(provider_metadata(w.provider, w.arena, NULL, &w.diags, &r), PROVIDER_OK);
    assert_int_equal(w.n_schema_calls, 0);
    assert_int_equal(r.n_resources, 3);
    assert_true(str_eqz(r.resources[0], "test_empty") && str_eqz(r.resources[2], "test_thing"));
    assert_true(r.n_data_sources == 1 && r.n_functions == 1 && r.n_ephemerals == 1 && r.n_lists == 1 && r.n_actions == 1);
    assert_true(r.n_state_stores == 1 && r.capabilities.plan_destroy);
    end(&w);
}

/* Fetching the schema */

static void *read_once(void *arg)
{
    struct world *w = arg;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags d;
    diags_init(&d, a);
    struct read_response r;
    const void *request = testing_request(a, &w->schema, RPC_READ, w->protocol);
    return provider_read(w->provider, a, request, NULL, &d, &r) == PROVIDER_OK ? w : NULL;
}

static void many_threads_fetch_the_schema_once(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 6, &all_ops);
    pthread_t threads[N_THREADS];
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_once, &w), 0);
    for (size_t i = 0; i < N_THREADS; i++) {
        void *ok;
        assert_int_equal(pthread_join(threads[i], &ok), 0);
        assert_non_null(ok);
    }
    assert_int_equal(w.n_schema_calls, 1);
    end(&w);
}

static void a_schema_brought_along_is_asked_for_once_unless_that_is_optional(void **state)
{
    (void)state;
    for (int optional = 0; optional <= 1; optional++) {
        struct world w;
        begin(&w, 5, &all_ops);
        w.schema.capabilities.get_provider_schema_optional = optional;
        provider_use_schema(w.provider, &w.schema);
        assert_ptr_equal(provider_schema(w.provider, NULL, &w.diags), &w.schema);
        assert_int_equal(w.n_schema_calls, 0);
        assert_non_null(read_once(&w));
        assert_non_null(read_once(&w));
        assert_int_equal(w.n_schema_calls, optional ? 0 : 1);
        end(&w);
    }
}

static bool has_no_identities(void *ctx, struct grpc_call *call, struct str request)
{
    (void)ctx;
    (void)request;
    if (!str_ends(grpc_call_method(call), STR("GetResourceIdentitySchemas")))
        return false;
    grpc_call_finish(call, GRPC_UNIMPLEMENTED, STR("unknown method"));
    return true;
}

static void a_provider_older_than_identities_has_none(void **state)
{
    (void)state;
    struct world w;
    struct provider_ops ops = all_ops;
    ops.intercept = has_no_identities;
    begin(&w, 5, &ops);
    const struct provider_schema *s = provider_schema(w.provider, NULL, &w.diags);
    assert_non_null(s);
    assert_int_equal(s->identities.n, 0);
    must_be_clean(&w, "schema");
    struct schema_bytes bytes;
    assert_true(provider_fetch_schema_bytes(w.provider, w.arena, NULL, &w.diags, &bytes));
    assert_true(bytes.protocol == 5 && bytes.schema.n > 0 && bytes.identities.n == 0);
    end(&w);
}

/* A provider that implements nothing */

static const struct provider_ops no_ops = {.schema = sample_schema};

static void a_function_that_is_missing_is_unsupported_or_does_nothing(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++) {
        struct world w;
        begin(&w, protocol, &no_ops);
        assert_null(read_once(&w));
        struct read_response r;
        const void *request = testing_request(w.arena, &w.schema, RPC_READ, protocol);
        assert_int_equal(provider_read(w.provider, w.arena, request, NULL, &w.diags, &r), PROVIDER_UNSUPPORTED);
        request = testing_request(w.arena, &w.schema, RPC_LIST, protocol);
        assert_int_equal(provider_list(w.provider, request, NULL, &w.diags, on_list_event, NULL), PROVIDER_UNSUPPORTED);
        request = testing_request(w.arena, &w.schema, RPC_VALIDATE_RESOURCE, protocol);
        assert_int_equal(provider_validate_resource(w.provider, w.arena, request, NULL, &w.diags), PROVIDER_OK);
        request = testing_request(w.arena, &w.schema, RPC_CONFIGURE, protocol);
        assert_int_equal(provider_configure(w.provider, w.arena, request, NULL, &w.diags), PROVIDER_OK);
        assert_int_equal(provider_stop(w.provider, NULL, &w.diags), PROVIDER_OK);
        struct validate_provider_response validated;
        const struct validate_provider_request *asked = testing_request(w.arena, &w.schema, RPC_VALIDATE_PROVIDER, protocol);
        assert_int_equal(provider_validate_provider(w.provider, w.arena, asked, NULL, &w.diags, &validated), PROVIDER_OK);
        if (protocol == 5)
            assert_true(value_raw_eq(validated.prepared, asked->config)); /* echoed */
        struct lock_state_response locked;
        struct state_store_request lock = {STR("test_store"), STR("s"), STR("o"), STR_EMPTY};
        assert_int_equal(provider_lock_state(w.provider, w.arena, &lock, NULL, &w.diags, &locked), PROVIDER_UNSUPPORTED);
        must_be_clean(&w, "nothing");
        end(&w);
    }
}

static const struct value *upgrade(struct world *w, struct str type_name, struct raw_state raw)
{
    struct upgrade_state_request request = {.type_name = type_name, .version = 3, .raw = raw};
    struct upgrade_state_response r = {NULL};
    assert_int_equal(provider_upgrade_state(w->provider, w->arena, &request, NULL, &w->diags, &r), PROVIDER_OK);
    return r.state;
}

static void a_stored_state_is_upgraded_by_dropping_what_is_gone(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 6, &no_ops);
    const struct value *v = upgrade(
        &w, STR("test_thing"),
        (struct raw_state){
            .json = STR("{\"id\":\"i\",\"gone\":1,\"object\":{\"a\":\"x\",\"gone\":[]},\"many\":[{\"inner\":\"m\",\"gone\":{}}],"
                        "\"rule\":[{\"value\":\"r\",\"gone\":true,\"deeper\":[]}],\"label\":{\"k\":{\"gone\":0}}}")});
    must_be_clean(&w, "upgrade");
    assert_non_null(v);
    assert_true(str_eqz(value_get(v, STR("id"))->string, "i"));
    assert_true(value_is_null(value_get(v, STR("name"))));
    assert_true(str_eqz(value_get(value_get(v, STR("object")), STR("a"))->string, "x"));
    assert_int_equal(value_get(v, STR("rule"))->n, 1);
    assert_int_equal(value_get(v, STR("label"))->n, 1);
    assert_true(value_get(v, STR("disk"))->state == VALUE_KNOWN && value_get(v, STR("disk"))->n == 0); /* a block is never null */
    assert_true(value_is_null(value_get(v, STR("timeouts"))));
    v = upgrade(&w, STR("test_thing"), (struct raw_state){.json = STR("null")});
    assert_true(v && value_is_null(v));
    must_be_clean(&w, "upgrade");
    assert_null(upgrade(&w, STR("test_thing"), (struct raw_state){.json = STR("{\"ports\":true}")}));
    assert_int_equal(w.diags.n_errors, 1);
    assert_null(upgrade(&w, STR("test_thing"), (struct raw_state){.json = STR("{broken")}));
    assert_int_equal(w.diags.n_errors, 2);
    end(&w);
}

static void a_state_from_before_json_is_upgraded_too(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 5, &no_ops);
    struct flatmap_entry entries[] = {{STR("region"), STR("r")}, {STR("tags.%"), STR("1")}, {STR("tags.a"), STR("b")}};
    const struct value *v =
        upgrade(&w, STR("test_plain"), (struct raw_state){.json = STR_EMPTY, .flatmap = entries, .n_flatmap = 3});
    must_be_clean(&w, "upgrade");
    assert_true(v && str_eqz(value_get(v, STR("region"))->string, "r"));
    assert_true(str_eqz(value_get(value_get(v, STR("tags")), STR("a"))->string, "b"));
    end(&w);
}

/* Misbehaviour of the provider */

static bool misbehave(void *ctx, struct grpc_call *call, struct str request)
{
    (void)ctx;
    (void)request;
    struct str method = grpc_call_method(call);
    if (str_ends(method, STR("/ReadResource")))
        grpc_call_hold(call); /* no answer */
    else if (str_ends(method, STR("/PlanResourceChange")))
        grpc_call_finish(call, GRPC_INTERNAL, STR("boom"));
    else if (str_ends(method, STR("/ApplyResourceChange")))
        grpc_call_finish(call, GRPC_RESOURCE_EXHAUSTED, STR("trying to send message larger than max"));
    else if (str_ends(method, STR("/ReadDataSource"))) {
        (void)grpc_call_send(call, STR("\xff\xff"));
        grpc_call_finish(call, GRPC_OK, STR_EMPTY);
    } else
        return false;
    return true;
}

static void must_fail(struct world *w, const char *summary, const char *part)
{
    assert_int_equal(w->diags.n, 1);
    assert_string_equal(w->diags.v[0].summary.p, summary);
    if (!strstr(w->diags.v[0].detail.p, part))
        fail_msg("\"%s\" is not in: %s", part, w->diags.v[0].detail.p);
    diags_init(&w->diags, w->arena);
}

static void each_way_to_fail_has_its_status(void **state)
{
    (void)state;
    struct world w;
    struct provider_ops ops = all_ops;
    ops.intercept = misbehave;
    begin(&w, 6, &ops);
    assert_non_null(provider_schema(w.provider, NULL, &w.diags));
    struct read_response read;
    const void *request = testing_request(w.arena, &w.schema, RPC_READ, 6);
    struct grpc_call_options hurry = {.deadline = clock_now(&system_clock) + 50 * NS_PER_MS};
    assert_int_equal(provider_read(w.provider, w.arena, request, &hurry, &w.diags, &read), PROVIDER_TIMEOUT);
    must_fail(&w, "Provider took too long", "provider \"test\" did not answer ReadResource in time");
    struct cancel *cancel = cancel_new();
    cancel_fire(cancel);
    struct grpc_call_options cancelled = {.cancel = cancel};
    assert_int_equal(provider_read(w.provider, w.arena, request, &cancelled, &w.diags, &read), PROVIDER_CANCELLED);
    must_fail(&w, "Cancelled", "ReadResource");
    cancel_free(cancel);
    struct plan_response plan;
    request = testing_request(w.arena, &w.schema, RPC_PLAN, 6);
    assert_int_equal(provider_plan(w.provider, w.arena, request, NULL, &w.diags, &plan), PROVIDER_BROKEN);
    must_fail(&w, "Provider refused a call", "INTERNAL (13): boom");
    struct apply_response apply;
    request = testing_request(w.arena, &w.schema, RPC_APPLY, 6);
    assert_int_equal(provider_apply(w.provider, w.arena, request, NULL, &w.diags, &apply), PROVIDER_BROKEN);
    must_fail(&w, "Message too large", "256 MiB");
    struct read_data_response data;
    request = testing_request(w.arena, &w.schema, RPC_READ_DATA, 6);
    assert_int_equal(provider_read_data(w.provider, w.arena, request, NULL, &w.diags, &data), PROVIDER_BROKEN);
    must_fail(&w, "Invalid answer from provider", "cannot be read");
    end(&w);
}

static void a_provider_that_has_gone_is_gone(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 6, &all_ops);
    assert_non_null(provider_schema(w.provider, NULL, &w.diags));
    grpc_server_free(w.server, clock_now(&system_clock));
    w.server = NULL;
    struct read_response r;
    const void *request = testing_request(w.arena, &w.schema, RPC_READ, 6);
    assert_int_equal(provider_read(w.provider, w.arena, request, NULL, &w.diags, &r), PROVIDER_GONE);
    must_fail(&w, "Provider did not respond", "was lost during ReadResource");
    assert_true(provider_is_gone(w.provider));
    end(&w);
}

/* Misbehaviour of the client */

static void a_broken_request_is_answered_with_diagnostics(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 6, &all_ops);
    static const enum rpc calls[] = {RPC_READ, RPC_PLAN, RPC_CONFIGURE, RPC_VALIDATE_DATA};
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct str response;
        assert_int_equal(provider_call_bytes(w.provider, w.arena, calls[i], STR("\xff"), NULL, &w.diags, &response), PROVIDER_OK);
        struct coding c = provider_coding(w.provider, calls[i], w.arena, &w.schema, &w.diags);
        c.type_name = STR("test_thing");
        void *r = arena_alloc(w.arena, c.codec->calls[calls[i]]->response.size, alignof(max_align_t));
        assert_true(coding_read_response(&c, response, r));
        must_fail(&w, "Invalid request to provider", "cannot be read");
    }
    assert_int_equal(w.n_calls, 0);
    end(&w);
}

static bool on_broken_event(void *ctx, const struct list_event *event)
{
    struct events *e = ctx;
    e->n++;
    assert_int_equal(event->diags->n_errors, 1);
    return true;
}

static void a_type_unknown_to_the_server_ends_its_streams_with_diagnostics(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 6, &all_ops);
    /* The client believes in a type that the server does not have. */
    struct provider_schema more = w.schema;
    map_init(&more.lists, w.arena);
    map_init(&more.actions, w.arena);
    map_put(&more.lists, STR("test_more"), map_get(&w.schema.lists, STR("test_thing")));
    map_put(&more.actions, STR("test_more"), map_get(&w.schema.actions, STR("test_reboot")));
    provider_use_schema(w.provider, &more);
    struct events e = {.w = &w};
    struct list_request list = {.type_name = STR("test_more")};
    assert_int_equal(provider_list(w.provider, &list, NULL, &w.diags, on_broken_event, &e), PROVIDER_OK);
    assert_int_equal(e.n, 1);
    e = (struct events){.w = &w};
    struct invoke_action_request action = {.type_name = STR("test_more")};
    assert_int_equal(provider_invoke_action(w.provider, &action, NULL, &w.diags, on_action_event, &e), PROVIDER_OK);
    assert_true(e.completed);
    must_fail(&w, "Not in the provider", "test_more");
    end(&w);
}

static void a_schema_that_cannot_be_served_is_refused_at_once(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags d;
    diags_init(&d, a);
    struct world w = {.schema = *testing_schema(a, 6)};
    assert_null(dispatch_new(&no_ops, &w, 5, &d));
    assert_int_equal(d.n_errors, 1);
}

/* State stores, which our server does not have: the bytes are sent by hand */

static const struct str stored = {"a state of more than one chunk", 30};

static void send_chunks(struct world *w, struct grpc_call *call, bool with_gap)
{
    struct arena *a = grpc_call_arena(call);
    struct diags d;
    diags_init(&d, a);
    struct coding c = {.codec = &codec6, .rpc = RPC_READ_STATE, .schema = &w->schema, .arena = a, .diags = &d};
    for (size_t at = 0; at < stored.n; at += 7) {
        struct str part = str_slice(stored, at, at + 7);
        if (with_gap && at == 7)
            continue;
        struct buf bytes BUF_AUTO = BUF_INIT(MAX_BYTES);
        struct state_chunk chunk = {
            .bytes = part, .total_length = (int64_t)stored.n, .start = (int64_t)at, .end = (int64_t)(at + part.n - 1)};
        assert_true(coding_write_response(&c, &chunk, NULL, &bytes));
        (void)grpc_call_send(call, buf_str(&bytes));
    }
    grpc_call_finish(call, GRPC_OK, STR_EMPTY);
}

static void receive_chunks(struct world *w, struct grpc_call *call, struct str first)
{
    struct arena *a = grpc_call_arena(call);
    struct diags d;
    diags_init(&d, a);
    struct coding c = {.codec = &codec6, .rpc = RPC_WRITE_STATE, .schema = &w->schema, .arena = a, .diags = &d};
    struct buf state BUF_AUTO = BUF_INIT(MAX_BYTES), bytes BUF_AUTO = BUF_INIT(MAX_BYTES);
    struct state_chunk chunk = {.total_length = -1};
    struct str message = first;
    bool named = false;
    do {
        if (!coding_read_request(&c, message, &chunk))
            break;
        named |= str_eqz(chunk.state_id, "default") && chunk.start == 0;
        if (chunk.start == (int64_t)state.n && chunk.end == (int64_t)(state.n + chunk.bytes.n) - 1)
            buf_add(&state, chunk.bytes);
    } while (grpc_call_recv(call, &message));
    if (!named || !str_eq(buf_str(&state), stored) || chunk.total_length != (int64_t)stored.n)
        diags_fail(&d, "wrong state", "received: " STR_FMT, STR_ARG(buf_str(&state)));
    assert_true(coding_write_response(&c, NULL, &d, &bytes));
    (void)grpc_call_send(call, buf_str(&bytes));
    grpc_call_finish(call, GRPC_OK, STR_EMPTY);
}

static bool serve_state(void *ctx, struct grpc_call *call, struct str request)
{
    struct str method = grpc_call_method(call);
    if (str_ends(method, STR("/ReadStateBytes")))
        send_chunks(ctx, call, memmem(request.p, request.n, "gap", 3) != NULL);
    else if (str_ends(method, STR("/WriteStateBytes")))
        receive_chunks(ctx, call, request);
    else
        return false;
    return true;
}

static void a_state_travels_in_chunks(void **state)
{
    (void)state;
    struct world w;
    struct provider_ops ops = no_ops;
    ops.intercept = serve_state;
    begin(&w, 6, &ops);
    struct state_store_request request = {STR("test_store"), STR("default"), STR_EMPTY, STR_EMPTY};
    struct str bytes = STR_EMPTY;
    assert_int_equal(provider_read_state(w.provider, w.arena, &request, NULL, &w.diags, &bytes), PROVIDER_OK);
    must_be_equal("state", stored, bytes);
    assert_int_equal(provider_write_state(w.provider, &request, stored, 4, NULL, &w.diags), PROVIDER_OK);
    assert_int_equal(provider_write_state(w.provider, &request, stored, 0, NULL, &w.diags), PROVIDER_OK);
    must_be_clean(&w, "state");
    request.state_id = STR("gap");
    assert_int_equal(provider_read_state(w.provider, w.arena, &request, NULL, &w.diags, &bytes), PROVIDER_BROKEN);
    must_fail(&w, "Invalid answer from provider", "chunks that do not fit together");
    end(&w);
}

static void state_stores_are_unknown_to_protocol_5(void **state)
{
    (void)state;
    struct world w;
    begin(&w, 5, &no_ops);
    struct state_store_request request = {STR("test_store"), STR("default"), STR_EMPTY, STR_EMPTY};
    struct str bytes;
    assert_int_equal(provider_read_state(w.provider, w.arena, &request, NULL, &w.diags, &bytes), PROVIDER_UNSUPPORTED);
    assert_int_equal(provider_write_state(w.provider, &request, stored, 0, NULL, &w.diags), PROVIDER_UNSUPPORTED);
    must_be_clean(&w, "state");
    end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_arrives_and_is_answered),
        cmocka_unit_test(the_schema_arrives_whole),
        cmocka_unit_test(metadata_names_what_the_schema_has),
        cmocka_unit_test(many_threads_fetch_the_schema_once),
        cmocka_unit_test(a_schema_brought_along_is_asked_for_once_unless_that_is_optional),
        cmocka_unit_test(a_provider_older_than_identities_has_none),
        cmocka_unit_test(a_function_that_is_missing_is_unsupported_or_does_nothing),
        cmocka_unit_test(a_stored_state_is_upgraded_by_dropping_what_is_gone),
        cmocka_unit_test(a_state_from_before_json_is_upgraded_too),
        cmocka_unit_test(each_way_to_fail_has_its_status),
        cmocka_unit_test(a_provider_that_has_gone_is_gone),
        cmocka_unit_test(a_broken_request_is_answered_with_diagnostics),
        cmocka_unit_test(a_type_unknown_to_the_server_ends_its_streams_with_diagnostics),
        cmocka_unit_test(a_schema_that_cannot_be_served_is_refused_at_once),
        cmocka_unit_test(a_state_travels_in_chunks),
        cmocka_unit_test(state_stores_are_unknown_to_protocol_5),
    };
    return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
