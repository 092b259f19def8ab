/*
 * Every call, both protocols, all four directions; then special cases of the wire format, and the exact bytes of a few messages.
 */
#include "base/testing.h"
#include "protocol/codec_fixture.h"
#include "protocol/proto_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Round trips */

static void round_trip_request(int protocol, enum rpc rpc)
{
    struct fixture f;
    begin(&f, protocol, rpc);
    const void *request = testing_request(f.arena, f.schema, rpc, protocol);
    assert_true(coding_write_request(&f.coding, request, &f.bytes));
    void *decoded = empty_struct(&f, f.codec->calls[rpc]->request.size);
    f.coding.type_name = STR_EMPTY; /* the other side does not know it yet */
    assert_true(coding_read_request(&f.coding, buf_str(&f.bytes), decoded));
    must_be_clean(&f);
    if (request)
        must_be_equal(&f, "request", testing_request_text(f.arena, rpc, request), testing_request_text(f.arena, rpc, decoded));
    end(&f);
}

static bool has_diagnostics(enum rpc rpc)
{
    return rpc != RPC_STOP && rpc != RPC_CALL_FUNCTION && rpc != RPC_LIST;
}

static void round_trip_response(int protocol, enum rpc rpc)
{
    struct fixture f;
    begin(&f, protocol, rpc);
    /* The request comes first: it says which type the values are of. */
    assert_true(coding_write_request(&f.coding, testing_request(f.arena, f.schema, rpc, protocol), &f.bytes));
    buf_clear(&f.bytes);
    const void *response = testing_response(f.arena, f.schema, rpc, protocol);
    struct diags said;
    diags_init(&said, f.arena);
    if (has_diagnostics(rpc))
        testing_diags(&said);
    assert_true(coding_write_response(&f.coding, response, &said, &f.bytes));
    void *decoded = empty_struct(&f, f.codec->calls[rpc]->response.size);
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), decoded));
    must_be_equal(&f, "diagnostics", testing_diags_text(f.arena, &said), testing_diags_text(f.arena, &f.diags));
    if (response)
        must_be_equal(&f, "response", testing_response_text(f.arena, rpc, response),
                      testing_response_text(f.arena, rpc, decoded));
    end(&f);
}

static bool is_schema_call(enum rpc rpc)
{
    return rpc == RPC_SCHEMA || rpc == RPC_IDENTITY_SCHEMAS || rpc == RPC_FUNCTIONS; /* codec_schema_test.c */
}

static void every_request_survives_the_wire(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++)
        for (enum rpc rpc = 0; rpc < RPC_COUNT; rpc++)
            if (codec_for(protocol)->calls[rpc] && !is_schema_call(rpc))
                round_trip_request(protocol, rpc);
}

static void every_response_survives_the_wire_with_its_diagnostics(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++)
        for (enum rpc rpc = 0; rpc < RPC_COUNT; rpc++)
            if (codec_for(protocol)->calls[rpc] && !is_schema_call(rpc))
                round_trip_response(protocol, rpc);
}

static void an_empty_response_reads_as_nothing_sent(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++) {
        for (enum rpc rpc = 0; rpc < RPC_COUNT; rpc++) {
            if (!codec_for(protocol)->calls[rpc] || is_schema_call(rpc))
                continue;
            struct fixture f;
            begin(&f, protocol, rpc);
            void *empty = coding_empty_response(&f.coding);
            assert_true(coding_write_response(&f.coding, empty, NULL, &f.bytes));
            void *decoded = empty_struct(&f, f.codec->calls[rpc]->response.size);
            assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), decoded));
            must_be_clean(&f);
            must_be_equal(&f, "empty response", testing_response_text(f.arena, rpc, empty),
                          testing_response_text(f.arena, rpc, decoded));
            end(&f);
        }
    }
}

static void nothing_sent_is_not_a_null_value(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_APPLY);
    f.coding.type_name = STR("test_thing");
    struct apply_response r;
    assert_true(coding_read_response(&f.coding, STR_EMPTY, &r));
    assert_null(r.new_state);
    assert_true(coding_read_response(&f.coding, (struct str){"\x0a\x00", 2}, &r)); /* a DynamicValue without content */
    assert_null(r.new_state);
    assert_true(coding_read_response(&f.coding, (struct str){"\x0a\x03\x0a\x01\xc0", 5}, &r)); /* msgpack nil */
    assert_non_null(r.new_state);
    assert_true(value_is_null(r.new_state));
    end(&f);
}

static void deferral_is_absent_unless_sent(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_READ);
    f.coding.type_name = STR("test_thing");
    struct read_response r;
    assert_true(coding_read_response(&f.coding, STR_EMPTY, &r));
    assert_int_equal(r.deferred, DEFERRED_NOT);
    assert_true(coding_read_response(&f.coding, (struct str){"\x22\x00", 2}, &r));
    assert_int_equal(r.deferred, DEFERRED_UNKNOWN);
    assert_true(coding_read_response(&f.coding, (struct str){"\x22\x02\x08\x63", 4}, &r));
    assert_int_equal(r.deferred, DEFERRED_UNKNOWN); /* reason 99, of the future */
    end(&f);
}

/* The wire's own ways */

static void unknown_fields_are_skipped(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_LOCK_STATE);
    buf_add(&f.bytes, (struct str){"\x0a\x02L1\xf8\x06\x07", 7}); /* field 111: varint */
    proto_add_bytes(&f.bytes, 999, STR("from the future"));
    struct lock_state_response r;
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), &r));
    assert_true(str_eqz(r.lock_id, "L1"));
    end(&f);
}

static void a_value_may_come_as_json(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 5, RPC_READ_DATA);
    f.coding.type_name = STR("test_data");
    struct buf value BUF_AUTO = BUF_INIT(MAX_BYTES);
    proto_add_bytes(&value, 2, STR("{\"region\":\"from json\"}"));
    proto_add_bytes(&f.bytes, 1, buf_str(&value));
    struct read_data_response r;
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), &r));
    assert_true(str_eqz(value_get(r.state, STR("region"))->string, "from json"));
    /* With both, MessagePack counts. */
    struct buf both BUF_AUTO = BUF_INIT(MAX_BYTES), message BUF_AUTO = BUF_INIT(MAX_BYTES);
    proto_add_bytes(&both, 1, (struct str){"\x81\xa6region\xc0", 9});
    proto_add_bytes(&both, 2, STR("{\"region\":\"from json\"}"));
    proto_add_bytes(&message, 1, buf_str(&both));
    assert_true(coding_read_response(&f.coding, buf_str(&message), &r));
    assert_true(value_is_null(value_get(r.state, STR("region"))));
    end(&f);
}

static void actions_of_protocol_5_metadata_are_read_at_both_numbers_and_written_at_9(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 5, RPC_METADATA);
    buf_add(&f.bytes, (struct str){"\x42\x03\x0a\x01x\x4a\x03\x0a\x01y", 10});
    struct metadata_response r;
    assert_true(coding_read_response(&f.coding, buf_str(&f.bytes), &r));
    assert_int_equal(r.n_actions, 2);
    assert_int_equal(r.n_state_stores, 0);
    assert_true(str_eqz(r.actions[0], "y") && str_eqz(r.actions[1], "x"));
    buf_clear(&f.bytes);
    r = (struct metadata_response){.actions = r.actions, .n_actions = 1};
    assert_true(coding_write_response(&f.coding, &r, NULL, &f.bytes));
    assert_int_equal(f.bytes.n, 7);
    assert_memory_equal(f.bytes.p, "\x0a\x00\x4a\x03\x0a\x01y", 7);
    end(&f);
}

static void text_with_a_zero_byte_survives(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_IMPORT);
    struct import_request request = {.type_name = STR("test_thing"), .id = {"a\0b", 3}}, decoded;
    assert_true(coding_write_request(&f.coding, &request, &f.bytes));
    assert_true(coding_read_request(&f.coding, buf_str(&f.bytes), &decoded));
    assert_int_equal(decoded.id.n, 3);
    assert_memory_equal(decoded.id.p, "a\0b", 3);
    end(&f);
}

/* Names */

static void methods_are_found_by_their_paths(void **state)
{
    (void)state;
    assert_int_equal(codec_find(&codec6, STR("/tfplugin6.Provider/ReadResource")), RPC_READ);
    assert_int_equal(codec_find(&codec5, STR("/tfplugin5.Provider/ReadResource")), RPC_READ);
    assert_int_equal(codec_find(&codec5, STR("/tfplugin5.Provider/PrepareProviderConfig")), RPC_VALIDATE_PROVIDER);
    assert_int_equal(codec_find(&codec5, STR("/tfplugin5.Provider/ValidateResourceTypeConfig")), RPC_VALIDATE_RESOURCE);
    assert_int_equal(codec_find(&codec5, STR("/tfplugin5.Provider/ValidateDataSourceConfig")), RPC_VALIDATE_DATA);
    assert_int_equal(codec_find(&codec5, STR("/tfplugin5.Provider/GetSchema")), RPC_SCHEMA);
    assert_int_equal(codec_find(&codec5, STR("/tfplugin5.Provider/Configure")), RPC_CONFIGURE);
    assert_int_equal(codec_find(&codec5, STR("/tfplugin5.Provider/Stop")), RPC_STOP);
    assert_int_equal(codec_find(&codec6, STR("/tfplugin6.Provider/GetProviderSchema")), RPC_SCHEMA);
    assert_int_equal(codec_find(&codec6, STR("/tfplugin6.Provider/ValidateProviderConfig")), RPC_VALIDATE_PROVIDER);
    assert_int_equal(codec_find(&codec6, STR("/tfplugin6.Provider/ValidateResourceConfig")), RPC_VALIDATE_RESOURCE);
    assert_int_equal(codec_find(&codec6, STR("/tfplugin6.Provider/ValidateDataResourceConfig")), RPC_VALIDATE_DATA);
    assert_int_equal(codec_find(&codec6, STR("/tfplugin6.Provider/ConfigureProvider")), RPC_CONFIGURE);
    assert_int_equal(codec_find(&codec6, STR("/tfplugin6.Provider/StopProvider")), RPC_STOP);
    assert_int_equal(codec_find(&codec6, STR("/tfplugin5.Provider/ReadResource")), RPC_COUNT);
    assert_int_equal(codec_find(&codec5, STR("/tfplugin5.Provider/LockState")), RPC_COUNT);
    for (enum rpc rpc = 0; rpc < RPC_COUNT; rpc++)
        assert_non_null(codec6.calls[rpc]);
}

/* Bytes, and an independent reader of them */

static const unsigned char read_request_bytes[] = {
    0x0a, 0x0a, 't',  'e',  's',  't',  '_', 'e', 'm', 'p', 't', 'y',       /* type_name = 1 */
    0x12, 0x03, 0x0a, 0x01, 0x80,                                           /* current_state = 2 {msgpack = 1: {}} */
    0x1a, 0x01, 'p',                                                        /* private = 3 */
    0x22, 0x0b, 0x0a, 0x09, 0x81, 0xa6, 'r', 'e', 'g', 'i', 'o', 'n', 0xc0, /* provider_meta = 4 */
    0x2a, 0x04, 0x08, 0x01, 0x10, 0x01,                                     /* client_capabilities = 5 */
};
static const char read_request_text[] = "type_name: \"test_empty\"\n"
                                        "current_state {\n"
                                        "  msgpack: \"\\200\"\n"
                                        "}\n"
                                        "private: \"p\"\n"
                                        "provider_meta {\n"
                                        "  msgpack: \"\\201\\246region\\300\"\n"
                                        "}\n"
                                        "client_capabilities {\n"
                                        "  deferral_allowed: true\n"
                                        "  write_only_attributes_allowed: true\n"
                                        "}\n";

static const unsigned char plan_response_bytes[] = {
    0x0a, 0x03, 0x0a, 0x01, 0x80,                              /* planned_state = 1 */
    0x12, 0x11, 0x0a, 0x03, 0x0a, 0x01, 'a',                   /* requires_replace = 2: a */
    0x0a, 0x03, 0x12, 0x01, 'k',                               /*   ["k"] */
    0x0a, 0x05, 0x18, 0x80, 0x80, 0x80, 0x10,                  /*   [33554432] */
    0x1a, 0x01, 'q',                                           /* planned_private = 3 */
    0x22, 0x08, 0x08, 0x02, 0x12, 0x01, 's',  0x1a, 0x01, 'd', /* diagnostics = 4 */
    0x28, 0x01,                                                /* legacy_type_system = 5 */
    0x32, 0x02, 0x08, 0x03,                                    /* deferred = 6 */
};
static const char plan_response_text[] = "planned_state {\n"
                                         "  msgpack: \"\\200\"\n"
                                         "}\n"
                                         "requires_replace {\n"
                                         "  steps {\n"
                                         "    attribute_name: \"a\"\n"
                                         "  }\n"
                                         "  steps {\n"
                                         "    element_key_string: \"k\"\n"
                                         "  }\n"
                                         "  steps {\n"
                                         "    element_key_int: 33554432\n"
                                         "  }\n"
                                         "}\n"
                                         "planned_private: \"q\"\n"
                                         "diagnostics {\n"
                                         "  severity: WARNING\n"
                                         "  summary: \"s\"\n"
                                         "  detail: \"d\"\n"
                                         "}\n"
                                         "legacy_type_system: true\n"
                                         "deferred {\n"
                                         "  reason: ABSENT_PREREQ\n"
                                         "}\n";

static struct str run_protoc(struct arena *a, const char *message, const unsigned char *bytes, size_t n)
{
    char file[] = "/tmp/terrane-wire-XXXXXX";
    int fd = mkstemp(file);
    assert_true(fd >= 0 && write(fd, bytes, n) == (ssize_t)n && close(fd) == 0);
    struct str command =
        arena_printf(a, "protoc --proto_path=%s/src/protocol --proto_path=%s --decode=%s tfplugin%c.proto < %s 2>&1",
                     TERRANE_SOURCE, PROTO_INCLUDE, message, message[8], file);
    FILE *pipe = popen(command.p, "r");
    assert_non_null(pipe);
    struct buf text BUF_AUTO = BUF_INIT(MAX_BYTES);
    for (int c; (c = fgetc(pipe)) != EOF;)
        buf_addc(&text, (char)c);
    int status = pclose(pipe);
    (void)unlink(file);
    return status == 0 ? buf_copy(&text, a) : STR_EMPTY;
}

static void need_protoc(void)
{
    FILE *pipe = popen("protoc --version > /dev/null 2>&1", "r");
    if (!pipe || pclose(pipe) != 0)
        testing_skip("tool:protoc", "it is not installed");
}

static void a_request_has_exactly_these_bytes(void **state)
{
    (void)state;
    for (int protocol = 5; protocol <= 6; protocol++) {
        struct fixture f;
        begin(&f, protocol, RPC_READ);
        const struct schema *empty = map_get(&f.schema->resources, STR("test_empty"));
        struct read_request request = {
            .type_name = STR("test_empty"),
            .state = testing_value(f.arena, empty->type, "{}"),
            .private = STR("p"),
            .provider_meta = testing_value(f.arena, f.schema->provider_meta->type, "{\"region\":null}"),
            .capabilities = {.deferral_allowed = true, .write_only_attributes_allowed = true},
            .identity = value_bool(f.arena, true), /* test_empty has no identity schema: not sent */
        };
        assert_true(coding_write_request(&f.coding, &request, &f.bytes));
        assert_int_equal(f.bytes.n, sizeof read_request_bytes);
        assert_memory_equal(f.bytes.p, read_request_bytes, sizeof read_request_bytes);
        end(&f);
    }
}

static void protoc_reads_a_request_alike(void **state)
{
    (void)state;
    need_protoc();
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str text = run_protoc(a, "tfplugin5.ReadResource.Request", read_request_bytes, sizeof read_request_bytes);
    assert_string_equal(text.p, read_request_text);
    text = run_protoc(a, "tfplugin6.ReadResource.Request", read_request_bytes, sizeof read_request_bytes);
    assert_string_equal(text.p, read_request_text);
}

static void a_plan_response_has_exactly_these_bytes(void **state)
{
    (void)state;
    struct fixture f;
    begin(&f, 6, RPC_PLAN);
    f.coding.type_name = STR("test_empty");
    const struct schema *empty = map_get(&f.schema->resources, STR("test_empty"));
    struct path path = path_index(f.arena, path_key(f.arena, path_attr(f.arena, PATH_ROOT, STR("a")), STR("k")), 1 << 25);
    struct plan_response response = {.planned_state = testing_value(f.arena, empty->type, "{}"),
                                     .requires_replace = &path,
                                     .n_requires_replace = 1,
                                     .planned_private = STR("q"),
                                     .legacy_type_system = true,
                                     .deferred = DEFERRED_ABSENT_PREREQ};
    struct diags said;
    diags_init(&said, f.arena);
    diags_warn(&said, "s", "d");
    assert_true(coding_write_response(&f.coding, &response, &said, &f.bytes));
    assert_int_equal(f.bytes.n, sizeof plan_response_bytes);
    assert_memory_equal(f.bytes.p, plan_response_bytes, sizeof plan_response_bytes);
    end(&f);
}

static void protoc_reads_a_plan_response_alike(void **state)
{
    (void)state;
    need_protoc();
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str text = run_protoc(a, "tfplugin6.PlanResourceChange.Response", plan_response_bytes, sizeof plan_response_bytes);
    assert_string_equal(text.p, plan_response_text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_survives_the_wire),
        cmocka_unit_test(every_response_survives_the_wire_with_its_diagnostics),
        cmocka_unit_test(an_empty_response_reads_as_nothing_sent),
        cmocka_unit_test(nothing_sent_is_not_a_null_value),
        cmocka_unit_test(deferral_is_absent_unless_sent),
        cmocka_unit_test(unknown_fields_are_skipped),
        cmocka_unit_test(a_value_may_come_as_json),
        cmocka_unit_test(actions_of_protocol_5_metadata_are_read_at_both_numbers_and_written_at_9),
        cmocka_unit_test(text_with_a_zero_byte_survives),
        cmocka_unit_test(methods_are_found_by_their_paths),
        cmocka_unit_test(a_request_has_exactly_these_bytes),
        cmocka_unit_test(protoc_reads_a_request_alike),
        cmocka_unit_test(a_plan_response_has_exactly_these_bytes),
        cmocka_unit_test(protoc_reads_a_plan_response_alike),
    };
    return cmocka_run_group_tests_name("codec", tests, NULL, NULL);
}
