#include "grpc/address.h"

#include "grpc/resolve.h"

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static bool parse(const char *network, const char *text, struct arena *a, struct grpc_address *ret, struct str *ret_why)
{
    struct diags diags;
    diags_init(&diags, a);
    bool ok = grpc_address_parse(a, str_of(network), str_of(text), &diags, ret);
    assert_int_equal(diags.n_errors, ok ? 0 : 1);
    if (!ok)
        *ret_why = diags.v[0].detail;
    return ok;
}

static void addresses_that_plugins_print_are_understood(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct grpc_address address;
    struct str why;
    assert_true(parse("unix", "/tmp/plugin123456", a, &address, &why));
    assert_int_equal(address.network, GRPC_UNIX);
    assert_true(str_eqz(address.text, "/tmp/plugin123456"));
    static const char *const tcp[] = {"127.0.0.1:10000", "[::1]:1", "0.0.0.0:65535"};
    for (size_t i = 0; i < sizeof tcp / sizeof tcp[0]; i++) {
        assert_true(parse("tcp", tcp[i], a, &address, &why));
        assert_int_equal(address.network, GRPC_TCP);
        struct sockaddr_storage sockaddr;
        const char *words;
        assert_true(tcp_resolve(address.text, &sockaddr, &words));
        assert_true(str_eqz(tcp_format(a, &sockaddr), tcp[i]));
    }
}

static void other_addresses_are_refused_in_words(void **state)
{
    (void)state;
    static const struct {
        const char *network, *text, *words;
    } cases[] = {
        {"unix", "relative/path", "absolute"},
        {"unix", "", "absolute"},
        {"unix", "/23456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678",
         "107 bytes"},
        {"tcp", "localhost:1234", "numeric"},
        {"tcp", "127.0.0.1", "HOST:PORT"},
        {"tcp", "127.0.0.1:", "port"},
        {"tcp", "127.0.0.1:0", "port 0"},
        {"tcp", "127.0.0.1:65536", "port"},
        {"tcp", "127.0.0.1:-1", "port"},
        {"tcp", "127.0.0.1:12x", "port"},
        {"tcp", ":1234", "numeric"},
        {"tcp", "::1:1234", "numeric"},
        {"tcp", "[127.0.0.1]:1234", "numeric"},
        {"udp", "127.0.0.1:1234", "\"unix\" or \"tcp\""},
        {"", "", "\"unix\" or \"tcp\""},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct grpc_address address;
        struct str why = STR_EMPTY;
        assert_false(parse(cases[i].network, cases[i].text, a, &address, &why));
        if (!strstr(why.p, cases[i].words))
            fail_msg("\"%s\" is not in: %s", cases[i].words, why.p);
    }
}

static void a_nul_in_a_path_is_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct grpc_address address;
    assert_false(grpc_address_parse(a, STR("unix"), STR("/tmp/a\0b"), &diags, &address));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_that_plugins_print_are_understood),
        cmocka_unit_test(other_addresses_are_refused_in_words),
        cmocka_unit_test(a_nul_in_a_path_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
