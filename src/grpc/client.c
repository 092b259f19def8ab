/*
 * The connection of a client: connecting, TLS, HTTP/2 settings, then open for calls until it is lost or freed.
 *
 * `lost` is set once and never cleared: a client does not reconnect. `n_calls` counts the calls whose memory still refers to the
 * client; grpc_client_free() ends them first and then waits for their owners.
 */
#include "base/lock.h"
#include "base/must.h"
#include "grpc/client_private.h"
#include "grpc/resolve.h"

#include <assert.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

void client_settings_received(void *ctx)
{
    struct grpc_client *client = ctx;
    client->ready = true;
}

/* ---- connecting ---- */

union any_address {
    struct sockaddr any;
    struct sockaddr_storage storage;
    struct sockaddr_un un;
};

/* False, with the reason in *ret_why, when the address is not valid. */
static bool find_address(const struct grpc_client *client, union any_address *ret, socklen_t *ret_n, const char **ret_why)
{
    struct str text = str_of(client->address);
    *ret = (union any_address){0};
    if (client->network == GRPC_TCP) {
        bool ok = tcp_resolve(text, &ret->storage, ret_why);
        *ret_n = ret->any.sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
        return ok;
    }
    ret->un.sun_family = AF_UNIX;
    memcpy(ret->un.sun_path, text.p, text.n);
    *ret_n = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + text.n + 1);
    return true;
}

/* connect() uses the socket's send timeout. */
static void limit_connecting(int fd, int64_t deadline)
{
    int64_t left = deadline - clock_now(&system_clock);
    if (left < NS_PER_MS)
        left = NS_PER_MS; /* 0 would mean no timeout */
    struct timeval time = {.tv_sec = left / NS_PER_S, .tv_usec = left % NS_PER_S / 1000};
    (void)setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
}

static bool connect_socket(struct grpc_client *client, int64_t deadline, const char **ret_why)
{
    union any_address address;
    socklen_t n;
    if (!find_address(client, &address, &n, ret_why))
        return false;
    client->fd = socket(address.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    client->nudge = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (client->fd < 0 || client->nudge < 0) {
        *ret_why = uv_strerror(-errno);
        return false;
    }
    if (deadline != NO_DEADLINE)
        limit_connecting(client->fd, deadline);
    if (client->network == GRPC_TCP)
        (void)setsockopt(client->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (connect(client->fd, &address.any, n) == 0)
        return true;
    *ret_why = errno == EINPROGRESS || errno == EAGAIN ? NULL : uv_strerror(-errno);
    return false;
}

/* Waits until TLS and HTTP/2 are established; this thread reads the socket, because no other thread does yet. */
static void shake_hands(struct grpc_client *client, int64_t deadline)
{
    pthread_cond_t none = PTHREAD_COND_INITIALIZER;
    mutex_lock(&client->lock);
    if (!wire_start(client->wire))
        client_lose(client, wire_reason(client->wire, WIRE_PEER_CLOSED));
    client_write(client);
    while (!client->ready && !client->lost && client_wait(client, &none, deadline))
        ;
    mutex_unlock(&client->lock);
}

static void close_fd(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

static void destroy(struct grpc_client *client)
{
    wire_free(client->wire);
    tls_context_free(client->tls_context);
    close_fd(client->fd);
    close_fd(client->nudge);
    completion_destroy(&client->unwatched);
    cond_destroy(&client->idle);
    mutex_destroy(&client->lock);
    free(client->address);
    free(client->in);
    free(client);
}

static struct grpc_client *client_new(const struct grpc_client_options *options, struct tls_context *tls)
{
    struct grpc_client *client = must(calloc(1, sizeof *client));
    client->loop = options->loop;
    client->log = options->log;
    client->tls_context = tls;
    client->network = options->address.network;
    client->address = must(strndup(options->address.text.p, options->address.text.n));
    client->in = must(malloc(WIRE_IN));
    client->fd = client->nudge = -1;
    client->ping_after = options->ping_after;
    client->ping_patience = options->ping_patience;
    client->wire =
        wire_new(tls, &(struct conn_options){.max_message = options->max_message, .events = &client_events, .ctx = client});
    client->conn = wire_conn(client->wire);
    mutex_init(&client->lock);
    cond_init(&client->idle);
    completion_init(&client->unwatched);
    return client;
}

static const char *network_name(enum grpc_network network)
{
    return network == GRPC_UNIX ? "unix socket" : "TCP address";
}

/* `why` NULL: the deadline has passed. */
static bool fail(struct grpc_client *client, struct diags *diags, const char *waiting_for, const char *why)
{
    static const char summary[] = "Connection failed";
    if (why)
        (void)diags_fail(diags, summary, "%s %s: waiting for %s: %s.", network_name(client->network), client->address,
                         waiting_for, why);
    else
        (void)diags_fail(diags, summary, "%s %s: no answer in time: waited for %s.", network_name(client->network),
                         client->address, waiting_for);
    destroy(client);
    return false;
}

bool grpc_client_connect(const struct grpc_client_options *options, struct diags *diags, struct grpc_client **ret)
{
    assert(!loop_is_current(options->loop));
    const char *problem = options->address.network == GRPC_UNIX ? unix_path_problem(options->address.text) : NULL;
    if (problem)
        return diags_fail(diags, "Connection failed", "\"" STR_FMT "\": %s.", STR_ARG(options->address.text), problem);
    struct tls_context *tls = options->tls ? tls_context_new(options->tls, false, diags) : NULL;
    if (options->tls && !tls)
        return false;

    struct grpc_client *client = client_new(options, tls);
    const char *why = NULL;
    if (!connect_socket(client, options->connect_deadline, &why))
        return fail(client, diags, "the connection", why);
    shake_hands(client, options->connect_deadline);
    if (!client->ready || client->lost)
        return fail(client, diags, wire_is_secure(client->wire) ? "the HTTP/2 settings" : "the TLS handshake",
                    client->lost ? client->why : NULL);
    client_watch_start(client);
    *ret = client;
    return true;
}

/* ---- the end ---- */

void grpc_client_free(struct grpc_client *client)
{
    if (!client)
        return;
    assert(!loop_is_current(client->loop));
    mutex_lock(&client->lock);
    client_lose(client, "the connection was closed by this side");
    wire_say_goodbye(client->wire);
    client_write(client);
    while (client->n_calls > 0)
        (void)cond_wait(&client->idle, &client->lock, NO_DEADLINE);
    mutex_unlock(&client->lock);
    client_watch_end(client);
    destroy(client);
}

bool grpc_client_is_lost(const struct grpc_client *client)
{
    return atomic_load(&client->lost);
}
