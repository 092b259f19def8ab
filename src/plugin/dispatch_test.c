/*
 * Every call of provider.h arrives at its function of provider_ops with every field, and every field of the answer comes back;
 * what is answered for functions that are missing and to clients that misbehave.
 */
#include "plugin/testing_dispatch.h"

/* Every call */

#define TRY(id, name, request_type, response_type)                                                                               \
    do {                                                                                                                         \
        const struct request_type *request = testing_request(w->arena, &w->schema, RPC_##id, w->protocol);                       \
        struct response_type response;                                                                                           \
        memset(&response, 0x5a, sizeof response);                                                                                \
        assert_int_equal(provider_##name(w->provider, w->arena, request, NULL, &w->diags, &response), PROVIDER_OK);              \
        (RPC_##id == RPC_CALL_FUNCTION ? must_be_clean : must_have_sample_diags)(w, #name);                                      \
        must_be_equal(#name,                                                                                                     \
                      testing_response_text(w->arena, RPC_##id, testing_response(w->arena, &w->schema, RPC_##id, w->protocol)),  \
                      testing_response_text(w->arena, RPC_##id, &response));                                                     \
    } while (0);
#define TRY_EMPTY(id, name, request_type)                                                                                        \
    do {                                                                                                                         \
        const struct request_type *request = testing_request(w->arena, &w->schema, RPC_##id, w->protocol);                       \
        assert_int_equal(provider_##name(w->provider, w->arena, request, NULL, &w->diags), PROVIDER_OK);                         \
        must_have_sample_diags(w, #name);                                                                                        \
    } while (0);

static void try_unary_calls(struct world *w)
{
    RPC_CALLS(TRY, TRY_EMPTY)
}

static void try_state_stores(struct world *w)
{
    RPC_STATE_STORE_CALLS(TRY, TRY_EMPTY)
}

static void try_streams(struct world *w)
{
    struct events e = {.w = w};
    const void *request = testing_request(w->arena, &w->schema, RPC_LIST, w->protocol);
    assert_int_equal(provider_list(w->provider, request, NULL, &w->diags, on_list_event, &e), PROVIDER_OK);
    assert_int_equal(e.n, WORLD_EVENTS);
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
        world_begin(&w, protocol, &world_all_ops);
        assert_int_equal(provider_protocol(w.provider), protocol);
        try_unary_calls(&w);
        if (protocol == 6)
            try_state_stores(&w);
        try_streams(&w);
        int before = w.n_calls;
        assert_int_equal(provider_stop(w.provider, NULL, &w.diags), PROVIDER_OK);
        assert_int_equal(w.n_calls, before + 1);
        must_be_clean(&w, "stop");
        world_end(&w);
    }
}

static void the_schema_arrives_whole(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++) {
        struct world w;
        world_begin(&w, protocol, &world_all_ops);
        const struct provider_schema *s = provider_schema(w.provider, NULL, &w.diags);
        assert_non_null(s);
        must_be_equal("schema", testing_schema_text(w.arena, &w.schema), testing_schema_text(w.arena, s));
        assert_ptr_equal(provider_schema(w.provider, NULL, &w.diags), s);
        world_end(&w);
    }
}

static void metadata_names_what_the_schema_has(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++) {
        struct world w;
        world_begin(&w, protocol, &world_all_ops);
        struct metadata_response r;
        assert_int_equal(provider_metadata(w.provider, w.arena, NULL, &w.diags, &r), PROVIDER_OK);
        assert_int_equal(w.n_schema_calls, 0);
        assert_int_equal(r.n_resources, 3);
        assert_true(str_eqz(r.resources[0], "test_empty") && str_eqz(r.resources[2], "test_thing"));
        assert_true(r.n_data_sources == 1 && r.n_functions == 1 && r.n_ephemerals == 1 && r.n_lists == 1 && r.n_actions == 1);
        assert_true(r.n_state_stores == (protocol == 6) && r.capabilities.plan_destroy);
        world_end(&w);
    }
}

static void functions_and_identities_are_answered_from_the_schema(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++) {
        struct world w;
        world_begin(&w, protocol, &world_no_ops);
        struct str found;
        struct buf functions BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE), identities BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
        const struct codec *codec = codec_for(protocol);
        assert_true(codec->encode_functions(&functions, &w.schema, &w.diags) && functions.n > 0);
        assert_int_equal(provider_call_bytes(w.provider, w.arena, RPC_FUNCTIONS, STR_EMPTY, NULL, &w.diags, &found), PROVIDER_OK);
        assert_true(str_eq(found, buf_str(&functions)));
        assert_true(codec->encode_identities(&identities, &w.schema, &w.diags) && identities.n > 0);
        assert_int_equal(provider_call_bytes(w.provider, w.arena, RPC_IDENTITY_SCHEMAS, STR_EMPTY, NULL, &w.diags, &found),
                         PROVIDER_OK);
        assert_true(str_eq(found, buf_str(&identities)));
        must_be_clean(&w, "functions");
        world_end(&w);
    }
}

/* A provider that implements nothing */

static void a_function_that_is_missing_is_unsupported_or_does_nothing(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++) {
        struct world w;
        world_begin(&w, protocol, &world_no_ops);
        assert_null(world_read_once(&w));
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
        world_end(&w);
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
    world_begin(&w, 6, &world_no_ops);
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
    world_end(&w);
}

static void a_state_from_before_json_is_upgraded_too(void **state)
{
    (void)state;
    struct world w;
    world_begin(&w, 5, &world_no_ops);
    struct flatmap_entry entries[] = {{STR("region"), STR("r")}, {STR("tags.%"), STR("1")}, {STR("tags.a"), STR("b")}};
    const struct value *v =
        upgrade(&w, STR("test_plain"), (struct raw_state){.json = STR_EMPTY, .flatmap = entries, .n_flatmap = 3});
    must_be_clean(&w, "upgrade");
    assert_true(v && str_eqz(value_get(v, STR("region"))->string, "r"));
    assert_true(str_eqz(value_get(value_get(v, STR("tags")), STR("a"))->string, "b"));
    world_end(&w);
}

/* Misbehaviour of the client */

static void a_broken_request_is_answered_with_diagnostics(void **state)
{
    (void)state;
    struct world w;
    world_begin(&w, 6, &world_all_ops);
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
    world_end(&w);
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
    world_begin(&w, 6, &world_all_ops);
    /* The client's schema has a type that the server does not have. */
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
    world_end(&w);
}

static void a_schema_that_cannot_be_served_is_refused_at_once(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags d;
    diags_init(&d, a);
    struct world w = {.schema = *testing_schema(a, 6)};
    assert_null(dispatch_new(&world_no_ops, &w, 5, &d));
    assert_int_equal(d.n_errors, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_arrives_and_is_answered),
        cmocka_unit_test(the_schema_arrives_whole),
        cmocka_unit_test(metadata_names_what_the_schema_has),
        cmocka_unit_test(functions_and_identities_are_answered_from_the_schema),
        cmocka_unit_test(a_function_that_is_missing_is_unsupported_or_does_nothing),
        cmocka_unit_test(a_stored_state_is_upgraded_by_dropping_what_is_gone),
        cmocka_unit_test(a_state_from_before_json_is_upgraded_too),
        cmocka_unit_test(a_broken_request_is_answered_with_diagnostics),
        cmocka_unit_test(a_type_unknown_to_the_server_ends_its_streams_with_diagnostics),
        cmocka_unit_test(a_schema_that_cannot_be_served_is_refused_at_once),
    };
    return cmocka_run_group_tests_name("dispatch", tests, NULL, NULL);
}
