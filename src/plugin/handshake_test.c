#include "plugin/handshake.h"

#include "grpc/tls.h"
#include "plugin/environment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

struct fixture {
    struct arena *a;
    struct diags diags;
};

static void setup(struct fixture *f)
{
    f->a = arena_new(NULL, 0);
    diags_init(&f->diags, f->a);
}

/* ---- lines that are good ---- */

static void lines_with_and_without_certificate_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int protocol;
        enum grpc_network network;
        const char *address;
    } cases[] = {
        {"1|5|unix|/tmp/plugin1|grpc", 5, GRPC_UNIX, "/tmp/plugin1"},
        {"1|6|unix|/tmp/plugin1|grpc|", 6, GRPC_UNIX, "/tmp/plugin1"},
        {"  1|6|unix|/tmp/with space|grpc|\r\n", 6, GRPC_UNIX, "/tmp/with space"},
        {"1|6|tcp|127.0.0.1:10000|grpc|", 6, GRPC_TCP, "127.0.0.1:10000"},
        {"1|6|unix|/tmp/p|grpc|too short for a certificate", 6, GRPC_UNIX, "/tmp/p"},
        {"1|6|unix|/tmp/p|grpc||true", 6, GRPC_UNIX, "/tmp/p"},
        {"1|6|unix|/tmp/p|grpc||true|and|what|not", 6, GRPC_UNIX, "/tmp/p"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f;
        setup(&f);
        struct handshake h;
        if (!handshake_parse(f.a, str_of(cases[i].line), &f.diags, &h))
            fail_msg("%s: %s", cases[i].line, f.diags.v[0].detail.p);
        assert_int_equal(h.protocol, cases[i].protocol);
        assert_int_equal(h.address.network, cases[i].network);
        assert_true(str_eqz(h.address.text, cases[i].address));
        assert_int_equal(h.server_der.n, 0);
        arena_free(f.a);
    }
}

static void a_line_that_was_written_is_read_back(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f);
    struct tls_identity *identity = tls_identity_new(&f.diags);
    assert_non_null(identity);
    const struct handshake out = {6, {GRPC_UNIX, STR("/run/x/plugin7")}, tls_identity_der(identity)};
    struct str line = handshake_write(f.a, &out);
    assert_true(str_starts(line, STR("1|6|unix|/run/x/plugin7|grpc|MII")));
    assert_int_equal(line.p[line.n - 1], '\n');
    assert_int_equal(str_find(line, '=', 0), SIZE_MAX);
    struct handshake in;
    assert_true(handshake_parse(f.a, line, &f.diags, &in));
    assert_int_equal(in.protocol, 6);
    assert_true(str_eq(in.server_der, out.server_der));
    tls_identity_free(identity);
    arena_free(f.a);
}

/* ---- lines that are not ---- */

static const char fifty_one[] = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

static void each_broken_rule_has_its_own_message(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        const char *summary;
        const char *detail; /* is in it */
    } cases[] = {
        {"", "Not a handshake line", "at least 4 fields; found \"\""},
        {"Usage: prog [-h]", "Not a handshake line", "found \"Usage: prog [-h]\""},
        {"1|6|unix", "Not a handshake line", "at least 4 fields"},
        {"one|6|unix|/tmp/p|grpc|", "Not a handshake line", "found \"one\""},
        {"2|6|unix|/tmp/p|grpc|", "Unsupported plugin handshake", "version 2 of the plugin handshake"},
        {"1|x|unix|/tmp/p|grpc|", "Broken handshake line", "5 or 6; found \"x\""},
        {"1|4|unix|/tmp/p|netrpc|", "Unsupported provider protocol", "version 4; Terrane supports versions 5 and 6"},
        {"1|7|unix|/tmp/p|grpc|", "Unsupported provider protocol", "newer than this program"},
        {"1|6|unix|/tmp/p", "Unsupported provider protocol", "net/rpc"},
        {"1|6|unix|/tmp/p|netrpc|", "Unsupported provider protocol", "net/rpc"},
        {"1|6|unix|/tmp/p|smoke|", "Broken handshake line", "\"grpc\"; found \"smoke\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture f;
        setup(&f);
        struct handshake h;
        assert_false(handshake_parse(f.a, str_of(cases[i].line), &f.diags, &h));
        assert_int_equal(f.diags.n, 1);
        assert_string_equal(f.diags.v[0].summary.p, cases[i].summary);
        if (!strstr(f.diags.v[0].detail.p, cases[i].detail))
            fail_msg("%s: \"%s\" is not in: %s", cases[i].line, cases[i].detail, f.diags.v[0].detail.p);
        arena_free(f.a);
    }
}

static void bad_addresses_and_certificates_are_refused(void **state)
{
    (void)state;
    const char *const lines[] = {
        "1|6|udp|127.0.0.1:1|grpc|",  "1|6|unix|relative|grpc|",       "1|6|unix||grpc|",
        "1|6|tcp|localhost:80|grpc|", "1|6|tcp|127.0.0.1:70000|grpc|", "1|6|tcp|127.0.0.1|grpc|",
    };
    struct fixture f;
    setup(&f);
    struct handshake h;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_false(handshake_parse(f.a, str_of(lines[i]), &f.diags, &h));
    struct str padded = arena_printf(f.a, "1|6|unix|/tmp/p|grpc|%s=", fifty_one);
    assert_false(handshake_parse(f.a, padded, &f.diags, &h));
    assert_non_null(strstr(f.diags.v[f.diags.n - 1].detail.p, "padd"));
    arena_free(f.a);
}

static void a_line_past_the_bound_is_refused_and_shown_in_part(void **state)
{
    (void)state;
    struct fixture f;
    setup(&f);
    char *bytes = malloc(HANDSHAKE_MAX_LINE + 1);
    assert_non_null(bytes);
    memset(bytes, 'x', HANDSHAKE_MAX_LINE + 1);
    struct handshake h;
    assert_false(handshake_parse(f.a, (struct str){bytes, HANDSHAKE_MAX_LINE + 1}, &f.diags, &h));
    assert_in_range(f.diags.v[0].detail.n, 100, 400);
    free(bytes);
    arena_free(f.a);
}

static void the_highest_common_version_is_chosen(void **state)
{
    (void)state;
    static const struct {
        const char *offered;
        int version;
    } cases[] = {
        {"5,6", 6}, {"6,5", 6},           {"5", 5},
        {"6", 6},   {" 5 , junk,6x,", 5}, {"4,7", 0},
        {"", 0},    {"junk", 0},          {"7,6,99999999999999999999", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(handshake_choose(str_of(cases[i].offered)), cases[i].version);
}

/* ---- environment ---- */

static const char *value_of(const char *const *env, const char *key)
{
    const char *found = NULL;
    size_t n = strlen(key);
    for (; *env; env++)
        if (strncmp(*env, key, n) == 0 && (*env)[n] == '=') {
            assert_null(found); /* each key once */
            found = *env + n + 1;
        }
    return found;
}

static void the_environment_is_ours_then_given_then_the_protocols(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *const ours[] = {"HOME=/h",
                                "A=ours",
                                "B=ours",
                                "PLUGIN_CLIENT_CERT=of our own parent",
                                "PLUGIN_MULTIPLEX_GRPC=1",
                                "PLUGIN_UNIX_SOCKET_GROUP=staff",
                                "PLUGIN_PROTOCOL_VERSIONS=4",
                                "no equals sign",
                                NULL};
    const char *const given[] = {"A=given", "TF_LOG_PROVIDER=debug", "TF_PLUGIN_MAGIC_COOKIE=wrong", NULL};
    const struct environment_options options = {ours, given, STR("PEM\nTEXT\n"), "/run/sockets", STR_EMPTY, NULL};
    const char *const *env = environment_make(a, &options);
    assert_string_equal(value_of(env, "HOME"), "/h");
    assert_string_equal(value_of(env, "A"), "given");
    assert_string_equal(value_of(env, "B"), "ours");
    assert_string_equal(value_of(env, "TF_LOG_PROVIDER"), "debug");
    assert_string_equal(value_of(env, HANDSHAKE_COOKIE_KEY), HANDSHAKE_COOKIE_VALUE);
    assert_string_equal(value_of(env, "PLUGIN_PROTOCOL_VERSIONS"), "5,6");
    assert_string_equal(value_of(env, "PLUGIN_MIN_PORT"), "10000");
    assert_string_equal(value_of(env, "PLUGIN_MAX_PORT"), "25000");
    assert_string_equal(value_of(env, "PLUGIN_UNIX_SOCKET_DIR"), "/run/sockets");
    assert_string_equal(value_of(env, "PLUGIN_CLIENT_CERT"), "PEM\nTEXT\n");
    assert_null(value_of(env, "PLUGIN_MULTIPLEX_GRPC"));
    assert_null(value_of(env, "PLUGIN_UNIX_SOCKET_GROUP"));
}

static void without_tls_no_certificate_is_passed_on(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *const ours[] = {"PLUGIN_CLIENT_CERT=of our own parent", NULL};
    const char *const *env = environment_make(a, &(struct environment_options){.ours = ours, .socket_dir = "/s"});
    assert_null(value_of(env, "PLUGIN_CLIENT_CERT"));
}

static void providers_are_told_what_is_worth_writing(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *const plain[] = {"HOME=/h", NULL}, *const own[] = {"TF_LOG_PROVIDER=trace", NULL};
    struct environment_options o = {
        .ours = plain, .socket_dir = "/s", .address = STR("example.com/acme/big-cloud"), .log_level = "WARN"};
    assert_string_equal(value_of(environment_make(a, &o), "TF_LOG_SDK"), "WARN");
    assert_string_equal(value_of(environment_make(a, &o), "TF_LOG_PROVIDER"), "WARN");
    assert_string_equal(value_of(environment_make(a, &o), "TF_LOG_PROVIDER_BIG_CLOUD"), "WARN");
    o.ours = own;
    assert_null(value_of(environment_make(a, &o), "TF_LOG_SDK"));
    assert_string_equal(value_of(environment_make(a, &o), "TF_LOG_PROVIDER"), "trace");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_with_and_without_certificate_are_read),
        cmocka_unit_test(a_line_that_was_written_is_read_back),
        cmocka_unit_test(each_broken_rule_has_its_own_message),
        cmocka_unit_test(bad_addresses_and_certificates_are_refused),
        cmocka_unit_test(a_line_past_the_bound_is_refused_and_shown_in_part),
        cmocka_unit_test(the_highest_common_version_is_chosen),
        cmocka_unit_test(the_environment_is_ours_then_given_then_the_protocols),
        cmocka_unit_test(without_tls_no_certificate_is_passed_on),
        cmocka_unit_test(providers_are_told_what_is_worth_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
