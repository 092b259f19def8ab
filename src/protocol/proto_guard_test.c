#include "protocol/proto_guard.h"

#include "protocol/proto_wire.h"
#include "protocol/testing_codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { DEEP = 10000, MAX_BYTES = 64 << 20 };

static const ProtobufCMessageDescriptor *response_of(enum rpc rpc)
{
    return codec6.calls[rpc]->response.descriptor;
}

static void expect(const ProtobufCMessageDescriptor *message, struct str bytes, const char *problem)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str found = proto_guard_check(a, message, bytes);
    if (!str_eqz(found, problem))
        fail_msg("expected \"%s\", found \"" STR_FMT "\"", problem, STR_ARG(found));
    struct str why = STR_EMPTY;
    void *unpacked = proto_guard_unpack(a, message, bytes, &why);
    assert_int_equal(unpacked == NULL, problem[0] != '\0');
    assert_true(str_eqz(why, problem));
}

/* The bytes of `levels` messages, each within field `number` of the one around it. */
static struct str nested(struct buf *out, size_t levels, uint32_t number)
{
    /* From the inside out; prepending is done by writing backwards. */
    static char bytes[MAX_BYTES];
    size_t at = sizeof bytes, length = 0;
    for (size_t i = 0; i < levels; i++) {
        struct buf head BUF_AUTO = BUF_INIT(32);
        proto_add_bytes(&head, number, STR_EMPTY);
        head.n--; /* without the length 0, which comes anew */
        for (size_t n = length;; n >>= 7) {
            buf_addc(&head, (char)(n >= 0x80 ? (n & 0x7f) | 0x80 : n));
            if (n < 0x80)
                break;
        }
        at -= head.n;
        memcpy(bytes + at, head.p, head.n);
        length += head.n;
    }
    buf_add(out, (struct str){bytes + at, length});
    return buf_str(out);
}

static void a_real_message_passes(void **state)
{
    (void)state;
    expect(response_of(RPC_READ), (struct str){"\x1a\x02pq\xc2\x3e\x03xyz", 10}, ""); /* with an unknown field 1000 */
    expect(response_of(RPC_READ), STR_EMPTY, "");
}

/*
 * Only the schema's messages contain themselves, and they are walked by codec_schema.c; InvokeAction.Event > Completed >
 * Diagnostic > AttributePath > Step is as deep as the others get. So the depth is tried on the message that recurses.
 */
static void ten_thousand_levels_are_a_clear_error(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags d;
    diags_init(&d, a);
    /* Attribute.nested_type = 10 > Object.attributes = 1 > Attribute ... */
    struct buf alternating BUF_AUTO = BUF_INIT(MAX_BYTES);
    for (size_t i = 0; i < DEEP; i++) {
        struct buf outer BUF_AUTO = BUF_INIT(MAX_BYTES);
        proto_add_bytes(&outer, i % 2 == 0 ? 1 : 10, buf_str(&alternating));
        buf_clear(&alternating);
        buf_add(&alternating, buf_str(&outer));
    }
    struct buf block BUF_AUTO = BUF_INIT(MAX_BYTES), schema BUF_AUTO = BUF_INIT(MAX_BYTES), all BUF_AUTO = BUF_INIT(MAX_BYTES);
    proto_add_bytes(&block, 2, buf_str(&alternating));
    proto_add_bytes(&schema, 2, buf_str(&block));
    proto_add_bytes(&all, 1, buf_str(&schema));
    assert_null(codec6.decode_schema(a, buf_str(&all), STR_EMPTY, STR("deep"), &d));
    assert_int_equal(d.n_errors, 1);
    assert_non_null(strstr(d.v[0].detail.p, "provider \"deep\""));
    assert_non_null(strstr(d.v[0].detail.p, "nested more than 100 deep"));
    assert_non_null(strstr(d.v[0].detail.p, "This is a bug in the provider."));
}

static void ten_thousand_blocks_in_blocks_are_a_clear_error(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (int protocol = 5; protocol <= 6; protocol++) {
        struct diags d;
        diags_init(&d, a);
        struct buf block BUF_AUTO = BUF_INIT(MAX_BYTES), schema BUF_AUTO = BUF_INIT(MAX_BYTES),
                         all BUF_AUTO = BUF_INIT(MAX_BYTES);
        for (size_t i = 0; i < DEEP; i++) {
            /* Block.block_types = 3 > NestedBlock.block = 2 > Block */
            struct buf nested_block BUF_AUTO = BUF_INIT(MAX_BYTES), outer BUF_AUTO = BUF_INIT(MAX_BYTES);
            proto_add_bytes(&nested_block, 2, buf_str(&block));
            proto_add_bytes(&outer, 3, buf_str(&nested_block));
            buf_clear(&block);
            buf_add(&block, buf_str(&outer));
        }
        proto_add_bytes(&schema, 2, buf_str(&block));
        proto_add_bytes(&all, 1, buf_str(&schema));
        assert_null(codec_for(protocol)->decode_schema(a, buf_str(&all), STR_EMPTY, STR("deep"), &d));
        assert_int_equal(d.n_errors, 1);
        assert_non_null(strstr(d.v[0].detail.p, "nested more than 100 deep"));
    }
}

static void depth_is_counted_to_the_limit(void **state)
{
    (void)state;
    /* A descriptor that contains itself: the message is its own field 1. */
    static ProtobufCMessageDescriptor self;
    static ProtobufCFieldDescriptor field;
    static const ProtobufCIntRange range[] = {{1, 0}, {0, 1}};
    self = *(const ProtobufCMessageDescriptor *)response_of(RPC_STOP);
    field = self.fields[0];
    field.type = PROTOBUF_C_TYPE_MESSAGE;
    field.label = PROTOBUF_C_LABEL_NONE;
    field.descriptor = &self;
    self.fields = &field;
    self.n_fields = 1;
    self.n_field_ranges = 1;
    self.field_ranges = range;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf allowed BUF_AUTO = BUF_INIT(MAX_BYTES), beyond BUF_AUTO = BUF_INIT(MAX_BYTES),
                       far_beyond BUF_AUTO = BUF_INIT(MAX_BYTES);
    assert_int_equal(proto_guard_check(a, &self, nested(&allowed, PROTO_GUARD_MAX_DEPTH - 1, 1)).n, 0);
    struct str problem = proto_guard_check(a, &self, nested(&beyond, PROTO_GUARD_MAX_DEPTH, 1));
    assert_true(str_eqz(problem, "nested more than 100 deep, at StopProvider.Response"));
    problem = proto_guard_check(a, &self, nested(&far_beyond, DEEP, 1));
    assert_true(str_eqz(problem, "nested more than 100 deep, at StopProvider.Response"));
}

static void wrong_wire_types_are_refused(void **state)
{
    (void)state;
    expect(response_of(RPC_READ), (struct str){"\x08\x01", 2},
           "field new_state has the wrong wire type, at ReadResource.Response");
    expect(response_of(RPC_READ), (struct str){"\x1d\x01\x02\x03\x04", 5},
           "field private has the wrong wire type, at ReadResource.Response");
    expect(response_of(RPC_READ), (struct str){"\x22\x02\x0a\x00", 4}, "field reason has the wrong wire type, at Deferred");
}

static void truncation_is_refused_at_every_byte_that_matters(void **state)
{
    (void)state;
    /* deferred {reason 2} */
    const struct str whole = {"\x22\x02\x08\x02", 4};
    expect(response_of(RPC_READ), whole, "");
    for (size_t n = 1; n < whole.n; n++)
        expect(response_of(RPC_READ), str_slice(whole, 0, n), "cut off or not protobuf, at ReadResource.Response");
    expect(response_of(RPC_READ), (struct str){"\x22\x01\x08", 3}, "cut off or not protobuf, at Deferred");
}

/* protobuf-c would merge them by copying everything before each time, which is quadratic. */
static void a_single_message_that_comes_twice_is_refused(void **state)
{
    (void)state;
    expect(response_of(RPC_READ), (struct str){"\x22\x00\x22\x00", 4},
           "field deferred occurs more than once, at ReadResource.Response");
    expect(response_of(RPC_READ), (struct str){"\x12\x00\x12\x00", 4}, ""); /* diagnostics are repeated */
    expect(response_of(RPC_READ), (struct str){"\x1a\x00\x1a\x00", 4}, ""); /* of bytes the last one counts */
}

static void a_flood_of_fields_is_refused(void **state)
{
    (void)state;
    struct buf flood BUF_AUTO = BUF_INIT(MAX_BYTES);
    for (size_t i = 0; i <= PROTO_GUARD_MAX_FIELDS; i++)
        buf_add(&flood, (struct str){"\x12\x00", 2}); /* one empty diagnostic: 2 bytes, but hundreds when unpacked */
    expect(response_of(RPC_READ), buf_str(&flood), "more fields than any real message has, at ReadResource.Response");
    expect(response_of(RPC_READ), str_slice(buf_str(&flood), 0, (size_t)PROTO_GUARD_MAX_FIELDS * 2), "");
    /* Unknown ones cost memory too. */
    buf_clear(&flood);
    for (size_t i = 0; i <= PROTO_GUARD_MAX_FIELDS; i++)
        buf_add(&flood, (struct str){"\x78\x00", 2});
    expect(response_of(RPC_READ), buf_str(&flood), "more fields than any real message has, at ReadResource.Response");
}

static void must_be_refused(struct str schema, const char *why)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags d;
    diags_init(&d, a);
    assert_null(codec6.decode_schema(a, schema, STR_EMPTY, STR("flood"), &d));
    if (!strstr(d.v[d.n - 1].detail.p, why))
        fail_msg("\"%s\" is not in: %s", why, d.v[d.n - 1].detail.p);
}

static void a_flood_in_the_schema_is_refused(void **state)
{
    (void)state;
    struct buf block BUF_AUTO = BUF_INIT(MAX_BYTES), schema BUF_AUTO = BUF_INIT(MAX_BYTES), all BUF_AUTO = BUF_INIT(MAX_BYTES);
    for (size_t i = 0; i <= PROTO_GUARD_MAX_FIELDS; i++)
        buf_add(&block, (struct str){"\x12\x00", 2}); /* an empty attribute */
    proto_add_bytes(&schema, 2, buf_str(&block));
    proto_add_bytes(&all, 1, buf_str(&schema));
    must_be_refused(buf_str(&all), "more attributes and blocks than any real schema has");
    buf_clear(&all);
    for (size_t i = 0; i < 20000; i++)
        buf_add(&all, (struct str){"\x22\x00", 2}); /* an empty diagnostic */
    must_be_refused(buf_str(&all), "diagnostics: there are too many");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_real_message_passes),
        cmocka_unit_test(ten_thousand_levels_are_a_clear_error),
        cmocka_unit_test(ten_thousand_blocks_in_blocks_are_a_clear_error),
        cmocka_unit_test(depth_is_counted_to_the_limit),
        cmocka_unit_test(wrong_wire_types_are_refused),
        cmocka_unit_test(truncation_is_refused_at_every_byte_that_matters),
        cmocka_unit_test(a_single_message_that_comes_twice_is_refused),
        cmocka_unit_test(a_flood_of_fields_is_refused),
        cmocka_unit_test(a_flood_in_the_schema_is_refused),
    };
    return cmocka_run_group_tests_name("guard", tests, NULL, NULL);
}
