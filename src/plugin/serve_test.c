/*
 * Our server from a client's view, with the fake provider: the services besides Terraform's, which clients are accepted, and how
 * it ends.
 */
#include "loop/process.h"
#include "plugin/environment.h"
#include "plugin/handshake.h"
#include "plugin/plugin.h"
#include "plugin/services.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define PATIENT (30 * NS_PER_S)

struct served {
    struct arena *a;
    struct diags diags;
    struct loop *loop;
    struct process *process;
    struct buf line; /* written on the loop's thread until `heard` */
    struct completion heard, exited;
    int status;
    char folder[32];
};

static void on_stdout(void *ctx, struct str bytes)
{
    struct served *s = ctx;
    buf_add(&s->line, bytes);
    if (bytes.n == 0 || str_find(bytes, '\n', 0) != SIZE_MAX)
        completion_signal(&s->heard);
}

static void on_stderr(void *ctx, struct str bytes)
{
    (void)ctx;
    (void)bytes;
}

static void on_exit_status(void *ctx, int status)
{
    struct served *s = ctx;
    s->status = status;
    completion_signal(&s->exited);
}

/* Starts the fake provider; `source` not NULL: by hand, to be attached to. */
static void begin(struct served *s, struct str client_pem, const char *source)
{
    *s = (struct served){.a = arena_new(NULL, 0), .loop = loop_new(), .line = BUF_INIT(64 << 10), .folder = "/tmp/serve-XXXXXX"};
    diags_init(&s->diags, s->a);
    completion_init(&s->heard);
    completion_init(&s->exited);
    assert_non_null(mkdtemp(s->folder));
    const char *path = getenv("TERRANE_FAKE");
    const char *const by_client[] = {path, NULL}, *const by_hand[] = {path, "--reattach", source, NULL};
    const char *const given[] = {"TERRANE_FAKE_SCHEMA=" TERRANE_SOURCE "/tests/fake/schema.json",
                                 arena_printf(s->a, "TMPDIR=%s", s->folder).p, NULL};
    const struct environment_options environment = {
        .ours = (const char *const *)environ, .given = given, .client_pem = client_pem, .socket_dir = s->folder};
    const struct process_options options = {
        .loop = s->loop,
        .path = path,
        .argv = source ? by_hand : by_client,
        .env = environment_make(s->a, &environment),
        .ctx = s,
        .on_stdout = on_stdout,
        .on_stderr = on_stderr,
        .on_exit = on_exit_status,
    };
    assert_true(process_start(&options, &s->diags, &s->process));
    assert_true(completion_wait(&s->heard, clock_now(&system_clock) + PATIENT));
}

static void end(struct served *s)
{
    process_free(s->process);
    loop_free(s->loop);
    assert_int_equal(rmdir(s->folder), 0); /* the socket has gone */
    completion_destroy(&s->heard);
    completion_destroy(&s->exited);
    buf_free(&s->line);
    arena_free(s->a);
}

static void assert_ends(struct served *s)
{
    assert_true(completion_wait(&s->exited, clock_now(&system_clock) + PATIENT));
    assert_true(WIFEXITED(s->status));
    assert_int_equal(WEXITSTATUS(s->status), 0);
}

static struct handshake read_line(struct served *s)
{
    struct handshake h;
    assert_true(handshake_parse(s->a, buf_str(&s->line), &s->diags, &h));
    return h;
}

static bool connect_to(struct served *s, struct grpc_address address, const struct tls_config *tls, struct grpc_client **ret)
{
    const struct grpc_client_options options = {
        .loop = s->loop,
        .address = address,
        .tls = tls,
        .max_message = PLUGIN_MAX_MESSAGE,
        .connect_deadline = clock_now(&system_clock) + PATIENT,
    };
    return grpc_client_connect(&options, &s->diags, ret);
}

static enum grpc_status call(struct served *s, struct grpc_client *client, const char *method, struct str request,
                             struct str *ret)
{
    const struct grpc_call_options options = {.deadline = clock_now(&system_clock) + PATIENT};
    return grpc_client_unary(client, s->a, str_of(method), request, &options, ret).status;
}

static void the_services_of_a_plugin_answer(void **state)
{
    (void)state;
    struct served s;
    struct grpc_client *client;
    struct str answer;
    begin(&s, STR_EMPTY, NULL);
    assert_true(connect_to(&s, read_line(&s).address, NULL, &client));
    assert_int_equal(call(&s, client, SERVICE_HEALTH_CHECK, STR("\x0a\x06plugin"), &answer), GRPC_OK);
    assert_true(str_eq(answer, HEALTH_SERVING));
    assert_int_equal(call(&s, client, SERVICE_HEALTH_CHECK, STR_EMPTY, &answer), GRPC_OK);
    assert_int_equal(call(&s, client, SERVICE_HEALTH_CHECK, STR("\x0a\x05other"), &answer), GRPC_NOT_FOUND);
    assert_int_equal(call(&s, client, "/tfplugin6.Provider/NoSuchCall", STR_EMPTY, &answer), GRPC_UNIMPLEMENTED);
    assert_int_equal(call(&s, client, "/tfplugin5.Provider/GetSchema", STR_EMPTY, &answer), GRPC_UNIMPLEMENTED);
    assert_int_equal(call(&s, client, "/no.such.Service/Call", STR_EMPTY, &answer), GRPC_UNIMPLEMENTED);

    const struct grpc_call_options options = {.deadline = clock_now(&system_clock) + PATIENT};
    struct grpc_stream *watch = grpc_stream_open(client, STR(SERVICE_HEALTH_WATCH), &options);
    assert_true(grpc_stream_send(watch, STR_EMPTY));
    grpc_stream_close_send(watch);
    assert_true(grpc_stream_recv(watch, s.a, &answer));
    assert_true(str_eq(answer, HEALTH_SERVING));
    grpc_stream_free(watch);

    assert_int_equal(call(&s, client, SERVICE_SHUTDOWN, STR_EMPTY, &answer), GRPC_OK);
    assert_int_equal(answer.n, 0);
    assert_ends(&s);
    grpc_client_free(client);
    end(&s);
}

static void held_streams_stay_open_and_the_end_of_the_client_is_the_end(void **state)
{
    (void)state;
    struct served s;
    struct grpc_client *client;
    struct str answer;
    begin(&s, STR_EMPTY, NULL);
    assert_true(connect_to(&s, read_line(&s).address, NULL, &client));
    const struct grpc_call_options brief = {.deadline = clock_now(&system_clock) + NS_PER_S / 2}, none = {0};
    struct grpc_stream *stdio = grpc_stream_open(client, STR(SERVICE_STDIO), &brief);
    struct grpc_stream *broker = grpc_stream_open(client, STR(SERVICE_BROKER), &none);
    assert_true(grpc_stream_send(stdio, STR_EMPTY));
    grpc_stream_close_send(stdio);
    assert_false(grpc_stream_recv(stdio, s.a, &answer));
    assert_int_equal(grpc_stream_result(stdio, s.a).status, GRPC_DEADLINE_EXCEEDED); /* nothing came in that time */
    assert_int_equal(call(&s, client, SERVICE_HEALTH_CHECK, STR_EMPTY, &answer), GRPC_OK);
    grpc_stream_free(stdio);
    grpc_stream_free(broker);
    grpc_client_free(client); /* without a word */
    assert_ends(&s);
    end(&s);
}

static void only_the_client_whose_certificate_was_given_is_let_in(void **state)
{
    (void)state;
    struct served s;
    struct grpc_client *client = NULL;
    struct str answer;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct tls_identity *ours = tls_identity_new(&diags), *strangers = tls_identity_new(&diags);
    begin(&s, tls_identity_pem(ours), NULL);
    struct handshake h = read_line(&s);
    assert_true(h.server_der.n > 0);
    const struct tls_config stranger = {strangers, h.server_der}, friend = {ours, h.server_der};
    /* With TLS 1.3 the server's refusal may arrive after the client has finished its handshake: then the first call fails. */
    bool connected = connect_to(&s, h.address, &stranger, &client);
    if (connected)
        assert_int_equal(call(&s, client, SERVICE_HEALTH_CHECK, STR_EMPTY, &answer), GRPC_UNAVAILABLE);
    if (connected)
        grpc_client_free(client);
    assert_false(connect_to(&s, h.address, NULL, &client)); /* clear text */
    assert_true(connect_to(&s, h.address, &friend, &client));
    assert_int_equal(call(&s, client, SERVICE_HEALTH_CHECK, STR_EMPTY, &answer), GRPC_OK);
    assert_int_equal(call(&s, client, SERVICE_SHUTDOWN, STR_EMPTY, &answer), GRPC_OK);
    assert_ends(&s);
    grpc_client_free(client);
    end(&s);
    tls_identity_free(ours);
    tls_identity_free(strangers);
}

static void one_started_by_hand_serves_one_client_after_the_other(void **state)
{
    (void)state;
    struct served s;
    struct reattach r;
    bool found = false;
    begin(&s, STR_EMPTY, "registry.terraform.io/terrane/fake");
    assert_true(reattach_find(s.a, str_trim(buf_str(&s.line)), STR("terrane/fake"), &s.diags, &found, &r));
    assert_true(found && r.test);
    assert_int_equal(r.pid, process_pid(s.process));
    for (int i = 0; i < 3; i++) {
        struct provider *p;
        assert_true(provider_attach(s.loop, NULL, STR("terrane/fake"), &r, &s.diags, &p));
        assert_int_equal(provider_protocol(p), 6);
        assert_non_null(provider_schema(p, &(struct grpc_call_options){0}, &s.diags));
        provider_free(p);
        assert_false(completion_wait(&s.exited, clock_now(&system_clock) + NS_PER_S / 10));
    }
    process_signal(s.process, SIGINT);
    assert_ends(&s);
    struct provider *p;
    assert_int_equal(s.diags.n, 0);
    assert_false(provider_attach(s.loop, NULL, STR("terrane/fake"), &r, &s.diags, &p));
    assert_int_equal(s.diags.n, 1);
    assert_non_null(strstr(s.diags.v[0].detail.p, "TF_REATTACH_PROVIDERS"));
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_services_of_a_plugin_answer),
        cmocka_unit_test(held_streams_stay_open_and_the_end_of_the_client_is_the_end),
        cmocka_unit_test(only_the_client_whose_certificate_was_given_is_let_in),
        cmocka_unit_test(one_started_by_hand_serves_one_client_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
