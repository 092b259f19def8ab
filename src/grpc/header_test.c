#include "grpc/header.h"

#include "base/clock.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static void messages_are_percent_encoded_and_back(void **state)
{
    (void)state;
    static const struct {
        const char *text, *encoded;
    } cases[] = {
        {"", ""},
        {"plain ~ text", "plain ~ text"},
        {"100%", "100%25"},
        {"line\nbreak\ttab\x7f", "line%0Abreak%09tab%7F"},
        {"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "%C3%A4%E2%82%AC%F0%9F%98%80"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf out BUF_AUTO = BUF_INIT(1000);
        grpc_message_encode(&out, str_of(cases[i].text));
        assert_true(str_eqz(buf_str(&out), cases[i].encoded));
        assert_true(str_eqz(grpc_message_decode(a, buf_str(&out)), cases[i].text));
    }
}

static void foreign_messages_are_decoded_leniently(void **state)
{
    (void)state;
    static const struct {
        const char *value, *text;
    } cases[] = {
        {"%", "%"},
        {"%4", "%4"},
        {"%zz%41", "%zzA"},
        {"%41%", "A%"},
        {"%c3%a4", "\xc3\xa4"},
        {"%ff", "?"},
        {"a%C3", "a?"},
        {"raw \xc3\xa4", "raw \xc3\xa4"},
        {"raw \xff", "raw ?"},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(grpc_message_decode(a, str_of(cases[i].value)).p, cases[i].text);
}

static void long_messages_are_cut_between_characters(void **state)
{
    (void)state;
    struct buf text BUF_AUTO = BUF_INIT(1 << 20), out BUF_AUTO = BUF_INIT(1 << 20);
    buf_addc(&text, 'x');
    for (int i = 0; i < 5000; i++)
        buf_addz(&text, "\xe2\x82\xac");
    grpc_message_encode(&out, buf_str(&text));
    assert_true(out.n <= GRPC_MESSAGE_SENT_MAX && out.n > GRPC_MESSAGE_SENT_MAX - 9);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_true(str_starts(buf_str(&text), grpc_message_decode(a, buf_str(&out))));
}

static void timeouts_have_at_most_eight_digits_and_round_up(void **state)
{
    (void)state;
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {1, "1n"},
        {99999999, "99999999n"},
        {100000000, "100000u"},
        {100000001, "100001u"},
        {10 * NS_PER_S, "10000000u"},
        {100 * NS_PER_S, "100000m"},
        {100000 * NS_PER_S, "100000S"},
        {100000 * NS_PER_S - 1, "100000S"},
        {200000000 * NS_PER_S, "3333334M"},
        {INT64_MAX, "2562048H"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[GRPC_TIMEOUT_TEXT];
        grpc_timeout_format(cases[i].ns, text);
        assert_string_equal(text, cases[i].text);
    }
}

static void timeouts_are_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ns;
    } cases[] = {
        {"0n", 0},
        {"1n", 1},
        {"7u", 7000},
        {"100000m", 100 * NS_PER_S},
        {"99999999S", 99999999 * NS_PER_S},
        {"3M", 180 * NS_PER_S},
        {"2562047H", INT64_C(2562047) * 3600 * NS_PER_S},
        {"2562048H", INT64_MAX},
        {"99999999H", INT64_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t ns = -1;
        assert_true(grpc_timeout_parse(str_of(cases[i].text), &ns));
        assert_true(ns == cases[i].ns);
    }
    static const char *const bad[] = {"", "n", "1", "1s", "-1S", "+1S", " 1S", "1 S", "1.5S", "100000000n", "1nn", "x1S"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        int64_t ns = -1;
        assert_false(grpc_timeout_parse(str_of(bad[i]), &ns));
        assert_true(ns == -1);
    }
}

static void status_codes_are_read_strictly(void **state)
{
    (void)state;
    assert_int_equal(grpc_status_parse(STR("0")), 0);
    assert_int_equal(grpc_status_parse(STR("14")), GRPC_UNAVAILABLE);
    assert_int_equal(grpc_status_parse(STR("123")), 123);
    static const char *const bad[] = {"", "-1", "x", "1x", " 1", "1000", "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(grpc_status_parse(str_of(bad[i])), GRPC_UNKNOWN);
    assert_string_equal(grpc_status_name(GRPC_UNAVAILABLE), "UNAVAILABLE");
    assert_string_equal(grpc_status_name((enum grpc_status)42), "UNKNOWN");
    assert_string_equal(grpc_status_name((enum grpc_status) - 1), "UNKNOWN");
}

static void content_type_must_be_grpc(void **state)
{
    (void)state;
    assert_true(grpc_content_type_ok(STR("application/grpc")));
    assert_true(grpc_content_type_ok(STR("application/grpc+proto")));
    assert_true(grpc_content_type_ok(STR("application/grpc;x=y")));
    assert_false(grpc_content_type_ok(STR("application/grpc-web")));
    assert_false(grpc_content_type_ok(STR("application/json")));
    assert_false(grpc_content_type_ok(STR("")));
}

static void http_statuses_become_grpc_ones(void **state)
{
    (void)state;
    static const int table[][2] = {{400, 13}, {401, 16}, {403, 7},  {404, 12}, {429, 14},
                                   {502, 14}, {503, 14}, {504, 14}, {500, 2},  {0, 2}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        assert_int_equal(grpc_status_of_http(table[i][0]), table[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_percent_encoded_and_back),
        cmocka_unit_test(foreign_messages_are_decoded_leniently),
        cmocka_unit_test(long_messages_are_cut_between_characters),
        cmocka_unit_test(timeouts_have_at_most_eight_digits_and_round_up),
        cmocka_unit_test(timeouts_are_read_strictly),
        cmocka_unit_test(status_codes_are_read_strictly),
        cmocka_unit_test(content_type_must_be_grpc),
        cmocka_unit_test(http_statuses_become_grpc_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
