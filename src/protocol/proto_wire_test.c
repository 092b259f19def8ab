#include "protocol/proto_wire.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define BYTES(literal) ((struct str){literal, sizeof literal - 1})

static void fields_of_each_type_are_taken_in_order(void **state)
{
    (void)state;
    struct str rest = BYTES("\x08\x96\x01"                         /* 1: varint 150 */
                            "\x12\x03"                             /* 2: 3 bytes */
                            "a\0b"                                 /* */
                            "\x1d\x01\x02\x03\x04"                 /* 3: 32 bits */
                            "\x21\x01\x00\x00\x00\x00\x00\x00\x80" /* 4: 64 bits */
                            "\xf8\xff\xff\xff\x0f\x00");           /* 2^29-1: varint 0 */
    struct proto_field f;
    assert_true(proto_next(&rest, &f));
    assert_int_equal(f.number, 1);
    assert_int_equal(f.type, PROTO_VARINT);
    assert_int_equal(f.integer, 150);
    assert_true(proto_next(&rest, &f));
    assert_int_equal(f.number, 2);
    assert_int_equal(f.bytes.n, 3);
    assert_memory_equal(f.bytes.p, "a\0b", 3);
    assert_true(proto_next(&rest, &f));
    assert_int_equal(f.integer, 0x04030201);
    assert_true(proto_next(&rest, &f));
    assert_true(f.integer == UINT64_C(0x8000000000000001));
    assert_true(proto_next(&rest, &f));
    assert_int_equal(f.number, (1 << 29) - 1);
    assert_false(proto_next(&rest, &f));
    assert_int_equal(rest.n, 0);
}

static void what_is_no_field_is_refused_and_stays(void **state)
{
    (void)state;
    static const struct {
        const char *why;
        struct str bytes;
    } cases[] = {
        {"field number 0", {"\x00\x00", 2}},
        {"field number beyond 2^29-1", {"\x80\x80\x80\x80\x10\x00", 6}},
        {"cut in the key", {"\x80", 1}},
        {"cut in a varint", {"\x08\x80", 2}},
        {"varint of 11 bytes", {"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12}},
        {"varint of 65 bits", {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11}},
        {"no length", {"\x0a", 1}},
        {"fewer bytes than said",
         {"\x0a\x05"
          "abcd",
          6}},
        {"length of 2^64-1", {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11}},
        {"cut in 32 bits", {"\x0d\x01\x02\x03", 4}},
        {"cut in 64 bits", {"\x09\x01\x02\x03\x04\x05\x06\x07", 8}},
        {"start of a group", {"\x0b\x0c", 2}},
        {"wire type 6", {"\x0e\x00", 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str rest = cases[i].bytes;
        struct proto_field f;
        if (proto_next(&rest, &f))
            fail_msg("%s was accepted", cases[i].why);
        assert_int_equal(rest.n, cases[i].bytes.n);
    }
}

static void what_is_written_is_read_back(void **state)
{
    (void)state;
    struct buf out BUF_AUTO = BUF_INIT(1 << 20);
    char long_text[300] = {'x'};
    proto_add_bytes(&out, 16, STR("abc"));
    proto_add_bytes(&out, 1, (struct str){long_text, sizeof long_text});
    assert_memory_equal(out.p,
                        "\x82\x01\x03"
                        "abc\x0a\xac\x02",
                        9);
    struct str rest = buf_str(&out);
    struct proto_field f;
    assert_true(proto_next(&rest, &f) && f.number == 16 && str_eqz(f.bytes, "abc"));
    assert_true(proto_next(&rest, &f) && f.number == 1 && f.bytes.n == sizeof long_text);
    assert_false(proto_next(&rest, &f));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_of_each_type_are_taken_in_order),
        cmocka_unit_test(what_is_no_field_is_refused_and_stays),
        cmocka_unit_test(what_is_written_is_read_back),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
