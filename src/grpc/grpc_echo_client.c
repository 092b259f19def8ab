/*
 * Makes every kind of call to the echo service of a peer in another language, and reports the results.
 *
 *     grpc_echo_client unix|tcp ADDRESS
 *     grpc_echo_client --tls       prints its certificate in PEM form and a line "ready", then reads three lines: network,
 *                                  address, file with the server's certificate in PEM form
 *
 * Prints "ok NAME" or "not ok NAME (WHY)" for each test; exits with 1 if one failed or the connection could not be made.
 */
#include "base/buf.h"
#include "grpc/client.h"
#include "grpc/testing_echo.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MAX_MESSAGE = 100 << 20, LARGE = 64 << 20 };

static int n_failed;

static void report(const char *name, bool ok, struct grpc_result result)
{
    if (ok)
        printf("ok %s\n", name);
    else
        printf("not ok %s (%s: " STR_FMT ")\n", name, grpc_status_name(result.status), STR_ARG(result.message));
    n_failed += !ok;
    (void)fflush(stdout);
}

static void try_unary(struct grpc_client *client, struct arena *a, const char *name, size_t size)
{
    struct str request = testing_message(a, size), response = STR_EMPTY;
    struct grpc_result r = grpc_client_unary(client, a, STR("/test.Echo/Unary"), request, NULL, &response);
    report(name, r.status == GRPC_OK && str_eq(request, response), r);
}

static void try_server_stream(struct grpc_client *client, struct arena *a)
{
    struct grpc_stream *s = grpc_stream_open(client, STR("/test.Echo/Repeat"), NULL);
    bool ok = grpc_stream_send(s, STR("500 5000"));
    grpc_stream_close_send(s);
    int n = 0;
    for (struct str message; grpc_stream_recv(s, a, &message); n++)
        ok = ok && testing_is_pattern(message, 5000);
    struct grpc_result r = grpc_stream_result(s, a);
    report("server stream", ok && n == 500 && r.status == GRPC_OK, r);
    grpc_stream_free(s);
}

static void try_client_stream(struct grpc_client *client, struct arena *a)
{
    struct grpc_stream *s = grpc_stream_open(client, STR("/test.Echo/Collect"), NULL);
    struct str message = testing_message(a, 10000), answer = STR_EMPTY;
    bool ok = true;
    for (int i = 0; i < 1000; i++)
        ok = ok && grpc_stream_send(s, message);
    grpc_stream_close_send(s);
    ok = ok && grpc_stream_recv(s, a, &answer) && str_eq(answer, STR("1000 10000000"));
    struct grpc_result r = grpc_stream_result(s, a);
    report("client stream", ok && r.status == GRPC_OK, r);
    grpc_stream_free(s);
}

static void try_chat(struct grpc_client *client, struct arena *a)
{
    struct grpc_stream *s = grpc_stream_open(client, STR("/test.Echo/Chat"), NULL);
    bool ok = true;
    for (size_t i = 0; i < 200 && ok; i++) {
        struct str there = testing_message(a, i * 11), back;
        ok = grpc_stream_send(s, there) && grpc_stream_recv(s, a, &back) && str_eq(there, back);
    }
    grpc_stream_close_send(s);
    struct str none;
    ok = ok && !grpc_stream_recv(s, a, &none);
    struct grpc_result r = grpc_stream_result(s, a);
    report("chat", ok && r.status == GRPC_OK, r);
    grpc_stream_free(s);
}

static void try_failures(struct grpc_client *client, struct arena *a)
{
    struct str response;
    struct str text = STR("Gr\xc3\xb6\xc3\x9f"
                          "e 100% \xe2\x82\xac\nzwei");
    struct grpc_result r =
        grpc_client_unary(client, a, STR("/test.Echo/Fail"), arena_printf(a, "5 " STR_FMT, STR_ARG(text)), NULL, &response);
    report("status with text beyond ASCII", r.status == GRPC_NOT_FOUND && str_eq(r.message, text), r);
    r = grpc_client_unary(client, a, STR("/test.Echo/Nothing"), STR(""), NULL, &response);
    report("unknown method", r.status == GRPC_UNIMPLEMENTED, r);
}

static void *fire_soon(void *arg)
{
    struct timespec pause = {.tv_nsec = 200 * NS_PER_MS};
    (void)nanosleep(&pause, NULL);
    cancel_fire(arg);
    return NULL;
}

static void try_early_ends(struct grpc_client *client, struct arena *a)
{
    struct str response;
    struct grpc_call_options options = {.deadline = clock_now(&system_clock) + 300 * NS_PER_MS};
    struct grpc_result r = grpc_client_unary(client, a, STR("/test.Echo/Hold"), STR(""), &options, &response);
    report("deadline", r.status == GRPC_DEADLINE_EXCEEDED, r);

    struct cancel *cancel = cancel_new();
    options = (struct grpc_call_options){.cancel = cancel};
    pthread_t thread;
    if (pthread_create(&thread, NULL, fire_soon, cancel) != 0)
        exit(1);
    r = grpc_client_unary(client, a, STR("/test.Echo/Hold"), STR(""), &options, &response);
    report("cancellation", r.status == GRPC_CANCELLED, r);
    (void)pthread_join(thread, NULL);
    cancel_free(cancel);
}

enum { N_THREADS = 16 };

static void *call_often(void *arg)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    for (int i = 0; i < 100; i++) {
        struct str request = testing_message(a, (size_t)i * 50), response = STR_EMPTY;
        struct grpc_result r = grpc_client_unary(arg, a, STR("/test.Echo/Unary"), request, NULL, &response);
        if (r.status != GRPC_OK || !str_eq(request, response))
            return arg; /* not NULL: failed */
        arena_reset(a);
    }
    return NULL;
}

static void try_threads(struct grpc_client *client)
{
    pthread_t threads[N_THREADS];
    bool ok = true;
    for (int i = 0; i < N_THREADS; i++)
        if (pthread_create(&threads[i], NULL, call_often, client) != 0)
            exit(1);
    for (int i = 0; i < N_THREADS; i++) {
        void *failed;
        (void)pthread_join(threads[i], &failed);
        ok = ok && !failed;
    }
    report("many threads", ok, (struct grpc_result){GRPC_UNKNOWN, STR("a call failed")});
}

static void try_all(struct grpc_client *client)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    try_unary(client, a, "unary", 1000);
    try_unary(client, a, "empty message", 0);
    try_unary(client, a, "message of 64 MiB", LARGE);
    try_server_stream(client, a);
    try_client_stream(client, a);
    try_chat(client, a);
    try_failures(client, a);
    try_early_ends(client, a);
    try_threads(client);
    try_unary(client, a, "unary at the end", 1000);
}

static _Noreturn void give_up(const struct diags *diags)
{
    printf("not ok connect (" STR_FMT ")\n", STR_ARG(diags->v[0].detail));
    exit(1);
}

static struct str read_line(struct arena *a)
{
    char line[4096];
    if (!fgets(line, sizeof line, stdin))
        exit(1);
    return arena_str(a, str_trim(str_of(line)));
}

int main(int argc, char **argv)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    bool with_tls = argc == 2 && strcmp(argv[1], "--tls") == 0;
    if (argc != 3 && !with_tls)
        return 2;
    struct tls_identity *identity = NULL;
    struct tls_config tls = {0};
    struct str network, text;
    if (with_tls) {
        identity = tls_identity_new(&diags);
        if (!identity)
            give_up(&diags);
        printf(STR_FMT "ready\n", STR_ARG(tls_identity_pem(identity)));
        (void)fflush(stdout);
        network = read_line(a);
        text = read_line(a);
        tls.identity = identity;
        if (!tls_der_from_pem(a, testing_read_file(a, read_line(a).p), &diags, &tls.peer_der))
            give_up(&diags);
    } else {
        network = str_of(argv[1]);
        text = str_of(argv[2]);
    }
    struct grpc_address address;
    if (!grpc_address_parse(a, network, text, &diags, &address))
        give_up(&diags);
    struct loop *loop = loop_new();
    struct grpc_client *client;
    bool ok = grpc_client_connect(
        &(struct grpc_client_options){
            .loop = loop,
            .address = address,
            .tls = with_tls ? &tls : NULL,
            .max_message = MAX_MESSAGE,
            .connect_deadline = clock_now(&system_clock) + 20 * NS_PER_S,
        },
        &diags, &client);
    if (!ok)
        give_up(&diags);
    try_all(client);
    grpc_client_free(client);
    loop_free(loop);
    tls_identity_free(identity);
    return n_failed > 0;
}
