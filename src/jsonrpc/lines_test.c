#include "jsonrpc/lines.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

enum { MAX_LINE = 10, LIMIT = 1 << 16 };

/* Lines as they come, each in brackets; ! for one that is too long. */
static void on_line(void *ctx, struct str line)
{
    buf_printf(ctx, "[" STR_FMT "]", STR_ARG(line));
}

static void on_too_long(void *ctx)
{
    buf_addc(ctx, '!');
}

static const struct {
    const char *input, *lines;
} cases[] = {
    {"", ""},
    {"a", "[a]"},
    {"a\n", "[a]"},
    {"a\nb", "[a][b]"},
    {"a\n\nb\n", "[a][][b]"},
    {"0123456789\nb\n", "[0123456789][b]"},
    {"0123456789a\nb\n", "![b]"},
    {"0123456789abcdefghijklmnopqrstuvwxyz\nb\n0123456789abcdefghijklmnopqrstuvwxyz\nc", "![b]![c]"},
    {"0123456789abcdefghijklmnopqrstuvwxyz", "!"},
    {"a\r\nb\r\n", "[a\r][b\r]"},
};

/* In pieces of every size, which must not matter. */
static void pieces_make_no_difference(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct str input = str_of(cases[i].input);
        for (size_t size = 1; size <= input.n + 1; size++) {
            struct buf out BUF_AUTO = BUF_INIT(LIMIT);
            struct rpc_line_reader r;
            rpc_line_reader_init(&r, MAX_LINE, &out, on_line, on_too_long);
            for (size_t at = 0; at < input.n; at += size)
                rpc_line_reader_feed(&r, str_slice(input, at, at + size));
            rpc_line_reader_end(&r);
            assert_string_equal(buf_str(&out).n > 0 ? (buf_addc(&out, '\0'), out.p) : "", cases[i].lines);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_make_no_difference),
    };
    return cmocka_run_group_tests_name("jsonrpc/lines", tests, NULL, NULL);
}
