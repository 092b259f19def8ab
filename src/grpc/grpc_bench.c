/*
 * Measures calls: client and server in one process, each with its own loop, over a unix socket, with and without TLS. Prints one
 * line per measurement; used by `make bench`, not a test.
 */
#include "base/buf.h"
#include "grpc/client.h"
#include "grpc/testing_echo.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MAX_MESSAGE = 256 << 20, THREADS = 32, LARGE = 64 << 20, SECONDS = 2 };

struct setup {
    struct arena *arena;
    struct loop *server_loop, *client_loop;
    struct grpc_server *server;
    struct grpc_client *client;
};

struct load {
    struct grpc_client *client;
    size_t size;
    int64_t until;
    long n;
};

static _Noreturn void give_up(const struct diags *diags)
{
    struct buf text = BUF_INIT(1 << 16);
    diags_write(&text, diags, false);
    (void)fprintf(stderr, STR_FMT, STR_ARG(buf_str(&text)));
    exit(1);
}

static void *call_on_and_on(void *arg)
{
    struct load *load = arg;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct arena *keep ARENA_AUTO = arena_new(NULL, 0);
    struct str request = testing_message(keep, load->size), response;
    while (clock_now(&system_clock) < load->until) {
        struct grpc_result r = grpc_client_unary(load->client, a, STR("/test.Echo/Unary"), request, NULL, &response);
        if (r.status != GRPC_OK)
            break;
        load->n++;
        arena_reset(a);
    }
    return NULL;
}

static void measure_calls(struct setup *s, const char *name, int n_threads, size_t size)
{
    struct load loads[THREADS];
    pthread_t threads[THREADS];
    int64_t start = clock_now(&system_clock);
    for (int i = 0; i < n_threads; i++) {
        loads[i] = (struct load){s->client, size, start + SECONDS * NS_PER_S, 0};
        if (pthread_create(&threads[i], NULL, call_on_and_on, &loads[i]) != 0)
            exit(1);
    }
    long n = 0;
    for (int i = 0; i < n_threads; i++) {
        (void)pthread_join(threads[i], NULL);
        n += loads[i].n;
    }
    double seconds = (double)(clock_now(&system_clock) - start) / 1e9;
    printf("%-6s unary, %2d threads, %5zu bytes: %8.0f calls/s, %6.1f us each\n", name, n_threads, size, (double)n / seconds,
           seconds * 1e6 * n_threads / (double)n);
}

static void measure_large(struct setup *s, const char *name)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct str request = testing_message(a, LARGE), response;
    int64_t start = clock_now(&system_clock);
    struct grpc_result r = grpc_client_unary(s->client, a, STR("/test.Echo/Unary"), request, NULL, &response);
    double ms = (double)(clock_now(&system_clock) - start) / 1e6;
    struct rusage usage;
    (void)getrusage(RUSAGE_SELF, &usage);
    printf("%-6s 64 MiB there and back: %6.1f ms (%s), peak memory %ld MiB\n", name, ms, grpc_status_name(r.status),
           usage.ru_maxrss / 1024);
}

static void set_up(struct setup *s, const struct tls_config *server_tls, const struct tls_config *client_tls)
{
    s->arena = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, s->arena);
    s->server_loop = loop_new();
    s->client_loop = loop_new();
    struct grpc_address address = {GRPC_UNIX, arena_printf(s->arena, "/tmp/terrane-bench-%d.sock", (int)getpid())};
    bool ok = grpc_server_start(
        &(struct grpc_server_options){
            .loop = s->server_loop,
            .address = address,
            .tls = server_tls,
            .max_message = MAX_MESSAGE,
            .max_calls = 100,
            .handler = testing_echo,
        },
        &diags, &s->server);
    ok = ok && grpc_client_connect(
                   &(struct grpc_client_options){
                       .loop = s->client_loop,
                       .address = address,
                       .tls = client_tls,
                       .max_message = MAX_MESSAGE,
                       .connect_deadline = clock_now(&system_clock) + 10 * NS_PER_S,
                   },
                   &diags, &s->client);
    if (!ok)
        give_up(&diags);
}

static void tear_down(struct setup *s)
{
    grpc_client_free(s->client);
    grpc_server_free(s->server, clock_now(&system_clock) + NS_PER_S);
    loop_free(s->client_loop);
    loop_free(s->server_loop);
    arena_free(s->arena);
}

static void measure(const char *name, const struct tls_config *server_tls, const struct tls_config *client_tls)
{
    struct setup s;
    set_up(&s, server_tls, client_tls);
    measure_large(&s, name);
    measure_calls(&s, name, 1, 100);
    measure_calls(&s, name, THREADS, 100);
    measure_calls(&s, name, THREADS, 10000);
    tear_down(&s);
}

int main(void)
{
    measure("clear", NULL, NULL);
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    struct tls_identity *ours = tls_identity_new(&diags), *theirs = tls_identity_new(&diags);
    if (!ours || !theirs)
        give_up(&diags);
    struct tls_config server_tls = {ours, tls_identity_der(theirs)}, client_tls = {theirs, tls_identity_der(ours)};
    measure("TLS", &server_tls, &client_tls);
    tls_identity_free(ours);
    tls_identity_free(theirs);
    return 0;
}
