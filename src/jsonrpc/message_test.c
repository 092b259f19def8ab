#include "jsonrpc/message.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { LIMIT = 1 << 16 };

/* Error code, or 0 and the id as it would be written (NULL: a notification). */
static const struct {
    const char *line;
    int code;
    const char *id;
} cases[] = {
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}", 0, "1"},
    {" {\"jsonrpc\":\"2.0\",\"id\":1.50,\"method\":\"m\",\"params\":{}} \r", 0, "1.50"},
    {"{\"jsonrpc\":\"2.0\",\"id\":123456789012345678901234567890,\"method\":\"m\"}", 0, "123456789012345678901234567890"},
    {"{\"jsonrpc\":\"2.0\",\"id\":\"a\\\"b\",\"method\":\"m\"}", 0, "\"a\\\"b\""},
    {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"m\"}", 0, "null"},
    {"{\"jsonrpc\":\"2.0\",\"method\":\"m\",\"params\":[]}", 0, NULL},
    {"", RPC_NOT_JSON, NULL},
    {"x", RPC_NOT_JSON, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"", RPC_NOT_JSON, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"} {}", RPC_NOT_JSON, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"m\"}", RPC_NOT_JSON, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", RPC_NOT_JSON, NULL},
    {"null", RPC_NOT_A_REQUEST, NULL},
    {"1", RPC_NOT_A_REQUEST, NULL},
    {"[]", RPC_NOT_A_REQUEST, NULL},
    {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"m\"}]", RPC_NOT_A_REQUEST, NULL},
    {"{}", RPC_NOT_A_REQUEST, NULL},
    {"{\"id\":1,\"method\":\"m\"}", RPC_NOT_A_REQUEST, NULL},
    {"{\"jsonrpc\":2.0,\"id\":1,\"method\":\"m\"}", RPC_NOT_A_REQUEST, NULL},
    {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"m\"}", RPC_NOT_A_REQUEST, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":1}", RPC_NOT_A_REQUEST, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":1}", RPC_NOT_A_REQUEST, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"m\"}", RPC_NOT_A_REQUEST, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":[],\"method\":\"m\"}", RPC_NOT_A_REQUEST, NULL},
    {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"m\"}", RPC_NOT_A_REQUEST, NULL},
};

static struct str text_of(struct arena *a, const struct json *j)
{
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    struct json_writer w = {.out = &out};
    json_write(&w, j);
    assert_true(json_finish(&w));
    return buf_copy(&out, a);
}

static void lines_are_understood_or_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct rpc_message m = {0};
        struct rpc_error error = {0};
        bool ok = rpc_message_read(a, str_of(cases[i].line), &m, &error);
        assert_int_equal(error.code, cases[i].code);
        assert_int_equal(ok, cases[i].code == 0);
        assert_int_equal(ok, error.message.n == 0);
        if (!ok)
            continue;
        assert_string_equal(m.method.p, "m");
        assert_non_null(m.params);
        assert_int_equal(m.id != NULL, cases[i].id != NULL);
        if (m.id)
            assert_string_equal(text_of(a, m.id).p, cases[i].id);
    }
}

static void what_a_caller_sent_is_cut(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char text[200];
    for (size_t i = 0; i < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xa4", 2);
    assert_true(str_eqz(rpc_shown(a, STR("short")), "short"));
    struct str shown = rpc_shown(a, (struct str){text + 1, sizeof text - 1});
    assert_true(str_eqz(shown, "...")); /* it does not even begin with a character */
    shown = rpc_shown(a, (struct str){text, sizeof text});
    assert_int_equal(shown.n, RPC_MAX_SHOWN + 3);
    assert_true(str_is_utf8(shown) && str_ends(shown, STR("...")));
}

static void answers_are_one_line(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct buf out BUF_AUTO = BUF_INIT(LIMIT);
    struct json_writer w = {.out = &out};
    rpc_begin_answer(&w, json_make_number(a, STR("1.0")));
    json_write_string(&w, STR("a\nb"));
    assert_true(rpc_end(&w));
    w = (struct json_writer){.out = &out};
    rpc_begin_notification(&w, STR("n"));
    json_write_null(&w);
    assert_true(rpc_end(&w));
    struct str lines[] = {STR("one"), STR("two")};
    rpc_write_error(&out, NULL, &(struct rpc_error){.code = -32000, .message = STR("m"), .data = lines, .n_data = 2});
    buf_addc(&out, '\0');
    assert_string_equal(
        out.p, "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"result\":\"a\\nb\"}\n"
               "{\"jsonrpc\":\"2.0\",\"method\":\"n\",\"params\":null}\n"
               "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32000,\"message\":\"m\",\"data\":[\"one\",\"two\"]}}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_understood_or_refused),
        cmocka_unit_test(what_a_caller_sent_is_cut),
        cmocka_unit_test(answers_are_one_line),
    };
    return cmocka_run_group_tests_name("jsonrpc/message", tests, NULL, NULL);
}
