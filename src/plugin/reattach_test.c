#include "base/buf.h"
#include "grpc/server.h"
#include "plugin/launch.h"
#include "plugin/provider.h"
#include "plugin/services.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define ENTRY(version, text)                                                                                                     \
    "{\"Protocol\":\"grpc\",\"ProtocolVersion\":" version                                                                        \
    ",\"Pid\":12,\"Test\":true,\"Addr\":{\"Network\":\"unix\",\"String\":\"" text "\"}}"

struct answer {
    bool ok, found;
    struct reattach reattach;
    struct diags diags;
};

static struct answer find(struct arena *a, const char *variable, const char *source)
{
    struct answer answer = {0};
    diags_init(&answer.diags, a);
    answer.ok = reattach_find(a, str_of(variable), str_of(source), &answer.diags, &answer.found, &answer.reattach);
    return answer;
}

static void full_and_short_addresses_name_the_same_provider(void **state)
{
    (void)state;
    static const struct {
        const char *key, *source;
        bool same;
    } cases[] = {
        {"aws", "hashicorp/aws", true},
        {"hashicorp/aws", "aws", true},
        {"registry.terraform.io/hashicorp/aws", "aws", true},
        {"registry.opentofu.org/hashicorp/aws", "hashicorp/aws", true},
        {"registry.terraform.io/hashicorp/aws", "registry.opentofu.org/hashicorp/aws", true},
        {"Registry.Terraform.io/hashicorp/AWS", "hashicorp/aws", true},
        {"example.com/hashicorp/aws", "example.com/hashicorp/aws", true},
        {"example.com/hashicorp/aws", "hashicorp/aws", false},
        {"terrane/aws", "aws", false},
        {"hashicorp/aws", "hashicorp/awscc", false},
        {"a/b/c/d", "b/c/d", false},
        {"a/b/c/d", "a/b/c/d", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct str variable = arena_printf(a, "{\"x/y\":{},\"%s\":" ENTRY("6", "/run/x.sock") "}", cases[i].key);
        struct answer answer = find(a, variable.p, cases[i].source);
        assert_true(answer.ok);
        if (answer.found != cases[i].same)
            fail_msg("%s and %s", cases[i].key, cases[i].source);
    }
}

static void an_entry_is_read_whole(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct answer answer = find(a, "{\"x/y\":" ENTRY("6", "/run/x.sock") "}", "x/y");
    assert_true(answer.ok && answer.found);
    assert_int_equal(answer.reattach.protocol, 6);
    assert_int_equal(answer.reattach.pid, 12);
    assert_true(answer.reattach.test);
    assert_int_equal(answer.reattach.address.network, GRPC_UNIX);
    assert_true(str_eqz(answer.reattach.address.text, "/run/x.sock"));
}

static void version_0_and_no_version_mean_5(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    assert_int_equal(find(a, "{\"x/y\":" ENTRY("0", "/s") "}", "x/y").reattach.protocol, 5);
    const char *none = "{\"x/y\":{\"Protocol\":\"grpc\",\"Addr\":{\"Network\":\"unix\",\"String\":\"/s\"}}}";
    assert_int_equal(find(a, none, "x/y").reattach.protocol, 5);
}

static void nothing_said_is_nothing_found(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const char *const variables[] = {"", "  ", "{}", "{\"a/b\":{}}"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        struct answer answer = find(a, variables[i], "x/y");
        assert_true(answer.ok);
        assert_false(answer.found);
    }
}

static void broken_text_and_entries_are_errors(void **state)
{
    (void)state;
    static const struct {
        const char *variable, *message;
    } cases[] = {
        {"{", "TF_REATTACH_PROVIDERS"},
        {"[]", "JSON object"},
        {"{\"x/y\":1}", "must be an object"},
        {"{\"x/y\":{}}", "Protocol must be \"grpc\""},
        {"{\"x/y\":{\"Protocol\":\"netrpc\"}}", "found \"netrpc\""},
        {"{\"x/y\":" ENTRY("4", "/s") "}", "version 4"},
        {"{\"x/y\":" ENTRY("6", "relative") "}", "relative"},
        {"{\"x/y\":{\"Protocol\":\"grpc\",\"Addr\":{\"Network\":\"udp\",\"String\":\"/s\"}}}", "udp"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        struct answer answer = find(a, cases[i].variable, "x/y");
        assert_false(answer.ok);
        struct buf text BUF_AUTO = BUF_INIT(1 << 16);
        diags_write(&text, &answer.diags, false);
        if (!strstr(buf_copy(&text, a).p, cases[i].message))
            fail_msg("%s: " STR_FMT, cases[i].variable, STR_ARG(buf_str(&text)));
    }
}

static void an_endless_variable_is_refused(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    char *bytes = calloc(1, (2 << 20) + 1);
    assert_non_null(bytes);
    memset(bytes, ' ', 2 << 20);
    assert_false(find(a, bytes, "x/y").ok);
    free(bytes);
}

static void what_is_written_is_found_again(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct reattach r = {6, 77, true, {GRPC_UNIX, STR("/tmp/with \"quotes\"")}};
    struct str text = reattach_write(a, STR("registry.terraform.io/terrane/fake"), &r);
    struct answer answer = find(a, text.p, "terrane/fake");
    assert_true(answer.ok && answer.found);
    assert_int_equal(answer.reattach.protocol, 6);
    assert_int_equal(answer.reattach.pid, 77);
    assert_true(answer.reattach.test);
    assert_true(str_eq(answer.reattach.address.text, r.address.text));
    assert_string_equal(reattach_write(a, STR("a/b"), &(struct reattach){5, 1, false, {GRPC_TCP, STR("127.0.0.1:2")}}).p,
                        "{\"a/b\":{\"Protocol\":\"grpc\",\"ProtocolVersion\":5,\"Pid\":1,\"Test\":false,"
                        "\"Addr\":{\"Network\":\"tcp\",\"String\":\"127.0.0.1:2\"}}}");
}

static struct arena *all_arena;

/* A server that writes to StreamStdio: {channel = 2 (stderr), data = ...}, and hold it open. */
static void stream_stdio(void *ctx, struct grpc_call *call)
{
    (void)ctx;
    struct str request;
    if (!str_eqz(grpc_call_method(call), SERVICE_STDIO)) {
        grpc_call_finish(call, GRPC_UNIMPLEMENTED, STR("no such method"));
        return;
    }
    (void)grpc_call_recv(call, &request);
    (void)grpc_call_send(call, STR("\x08\x02\x12\x14[WARN] first line\nse"));
    (void)grpc_call_send(call, STR("\x08\x02\x12\x0a"
                                   "cond line\n"));
    (void)grpc_call_send(call, STR("\x08\x02\x12\x08"
                                   "the rest"));
    grpc_call_hold(call);
}

/* All that was written so far, and waits for this text to be in it. */
static void wait_for_text(int fd, struct buf *all, const char *text)
{
    char piece[4096];
    while (!strstr(buf_copy(all, all_arena).p, text)) {
        struct pollfd p = {.fd = fd, .events = POLLIN};
        assert_int_equal(poll(&p, 1, 20000), 1);
        ssize_t n = read(fd, piece, sizeof piece);
        assert_true(n > 0);
        buf_add(all, (struct str){piece, (size_t)n});
    }
}

static void what_is_streamed_as_stdio_becomes_records(void **state)
{
    (void)state;
    all_arena = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, all_arena);
    int fds[2];
    assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
    struct log *log = log_new(fds[1], LOG_TRACE, LOG_TEXT, &system_clock);
    log_set_foreign(log, LOG_FOREIGN_TEXT);
    struct loop *loop = loop_new();
    struct grpc_server *server = NULL;
    assert_true(grpc_server_start(&(struct grpc_server_options){.loop = loop,
                                                                .address = {GRPC_TCP, STR("127.0.0.1:0")},
                                                                .max_message = 1 << 20,
                                                                .max_calls = 10,
                                                                .handler = stream_stdio},
                                  &diags, &server));
    const struct reattach reattach = {.protocol = 6, .address = grpc_server_address(server)};
    struct provider *provider = NULL;
    assert_true(provider_attach(loop, log, STR("example"), &reattach, &diags, &provider));
    struct buf all BUF_AUTO = BUF_INIT(1 << 20);
    wait_for_text(fds[0], &all, "first line");
    wait_for_text(fds[0], &all, "second line");
    assert_null(strstr(buf_copy(&all, all_arena).p, "the rest")); /* its line has not ended */
    provider_free(provider);
    wait_for_text(fds[0], &all, "the rest");
    grpc_server_free(server, NO_DEADLINE);
    loop_free(loop);
    log_free(log);
    (void)close(fds[0]);
    (void)close(fds[1]);
    arena_free(all_arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_and_short_addresses_name_the_same_provider),
        cmocka_unit_test(an_entry_is_read_whole),
        cmocka_unit_test(version_0_and_no_version_mean_5),
        cmocka_unit_test(nothing_said_is_nothing_found),
        cmocka_unit_test(broken_text_and_entries_are_errors),
        cmocka_unit_test(an_endless_variable_is_refused),
        cmocka_unit_test(what_is_written_is_found_again),
        cmocka_unit_test(what_is_streamed_as_stdio_becomes_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
