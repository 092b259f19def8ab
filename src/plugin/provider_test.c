/*
 * The client's side: when the schema is fetched, how each failure is reported, and state in chunks.
 */
#include "plugin/testing_dispatch.h"

enum { N_THREADS = 4, MAX_BYTES = 1 << 20 };

/* Fetching the schema */

static void many_threads_fetch_the_schema_once(void **state)
{
    (void)state;
    struct world w;
    world_begin(&w, 6, &world_all_ops);
    pthread_t threads[N_THREADS];
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, world_read_once, &w), 0);
    for (size_t i = 0; i < N_THREADS; i++) {
        void *ok;
        assert_int_equal(pthread_join(threads[i], &ok), 0);
        assert_non_null(ok);
    }
    assert_int_equal(w.n_schema_calls, 1);
    world_end(&w);
}

static void a_schema_brought_along_is_asked_for_once_unless_that_is_optional(void **state)
{
    (void)state;
    for (int optional = 0; optional <= 1; optional++) {
        struct world w;
        world_begin(&w, 5, &world_all_ops);
        w.schema.capabilities.get_provider_schema_optional = optional;
        provider_use_schema(w.provider, &w.schema);
        assert_ptr_equal(provider_schema(w.provider, NULL, &w.diags), &w.schema);
        assert_int_equal(w.n_schema_calls, 0);
        assert_non_null(world_read_once(&w));
        assert_non_null(world_read_once(&w));
        assert_int_equal(w.n_schema_calls, optional ? 0 : 1);
        world_end(&w);
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
    struct provider_ops ops = world_all_ops;
    ops.intercept = has_no_identities;
    world_begin(&w, 5, &ops);
    const struct provider_schema *s = provider_schema(w.provider, NULL, &w.diags);
    assert_non_null(s);
    assert_int_equal(s->identities.n, 0);
    must_be_clean(&w, "schema");
    struct schema_bytes bytes;
    assert_true(provider_fetch_schema_bytes(w.provider, w.arena, NULL, &w.diags, &bytes));
    assert_true(bytes.protocol == 5 && bytes.schema.n > 0 && bytes.identities.n == 0);
    world_end(&w);
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

static void each_way_to_fail_has_its_status(void **state)
{
    (void)state;
    struct world w;
    struct provider_ops ops = world_all_ops;
    ops.intercept = misbehave;
    world_begin(&w, 6, &ops);
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
    world_end(&w);
}

static void a_provider_that_has_gone_is_gone(void **state)
{
    (void)state;
    struct world w;
    world_begin(&w, 6, &world_all_ops);
    assert_non_null(provider_schema(w.provider, NULL, &w.diags));
    grpc_server_free(w.server, clock_now(&system_clock));
    w.server = NULL;
    struct read_response r;
    const void *request = testing_request(w.arena, &w.schema, RPC_READ, 6);
    assert_int_equal(provider_read(w.provider, w.arena, request, NULL, &w.diags, &r), PROVIDER_GONE);
    must_fail(&w, "Provider did not respond", "was lost during ReadResource");
    assert_true(provider_is_gone(w.provider));
    world_end(&w);
}

/* State stores, served by hand: dispatch_store_test.c tests them with our server, which makes no mistakes to detect */

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
    struct provider_ops ops = world_no_ops;
    ops.intercept = serve_state;
    world_begin(&w, 6, &ops);
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
    world_end(&w);
}

static void state_stores_are_unknown_to_protocol_5(void **state)
{
    (void)state;
    struct world w;
    world_begin(&w, 5, &world_no_ops);
    struct state_store_request request = {STR("test_store"), STR("default"), STR_EMPTY, STR_EMPTY};
    struct str bytes;
    assert_int_equal(provider_read_state(w.provider, w.arena, &request, NULL, &w.diags, &bytes), PROVIDER_UNSUPPORTED);
    assert_int_equal(provider_write_state(w.provider, &request, stored, 0, NULL, &w.diags), PROVIDER_UNSUPPORTED);
    must_be_clean(&w, "state");
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads_fetch_the_schema_once),
        cmocka_unit_test(a_schema_brought_along_is_asked_for_once_unless_that_is_optional),
        cmocka_unit_test(a_provider_older_than_identities_has_none),
        cmocka_unit_test(each_way_to_fail_has_its_status),
        cmocka_unit_test(a_provider_that_has_gone_is_gone),
        cmocka_unit_test(a_state_travels_in_chunks),
        cmocka_unit_test(state_stores_are_unknown_to_protocol_5),
    };
    return cmocka_run_group_tests_name("provider", tests, NULL, NULL);
}
