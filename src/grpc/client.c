/*
 * The connection of a client: connect, TLS, HTTP/2 settings, then open for calls until it is lost or freed.
 *
 * `lost` is set once and never cleared: a client does not connect again. `n_calls` counts the calls whose memory still
 * refers to the client; grpc_client_free() closes first, which ends them, and then waits for their owners.
 */
#include "grpc/client_private.h"
#include "grpc/resolve.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

void client_call_begins(struct grpc_client *client)
{
    (void)pthread_mutex_lock(&client->lock);
    client->n_calls++;
    (void)pthread_mutex_unlock(&client->lock);
}

void client_call_ends(struct grpc_client *client)
{
    (void)pthread_mutex_lock(&client->lock);
    if (--client->n_calls == 0)
        (void)pthread_cond_broadcast(&client->idle);
    (void)pthread_mutex_unlock(&client->lock);
}

void client_set_lost(struct grpc_client *client, const char *why)
{
    (void)pthread_mutex_lock(&client->lock);
    if (client->why[0] == '\0')
        (void)snprintf(client->why, sizeof client->why, "%s", why);
    (void)pthread_mutex_unlock(&client->lock);
    atomic_store(&client->lost, true);
}

struct str client_why(const struct grpc_client *client)
{
    return str_of(client->why);
}

/* ---- on the loop's thread ---- */

void client_settings_received(void *ctx)
{
    struct grpc_client *client = ctx;
    if (client->stage != CLIENT_HANDSHAKING)
        return;
    client->stage = CLIENT_READY;
    completion_signal(&client->connected);
}

static void transport_lost(void *ctx, const char *why)
{
    struct grpc_client *client = ctx;
    client_set_lost(client, why);
    if (client->stage == CLIENT_READY)
        log_debug(client->log, "connection lost", LOG_Z("address", client->address), LOG_Z("why", why));
    else
        completion_signal(&client->connected);
}

static void transport_closed(void *ctx)
{
    struct grpc_client *client = ctx;
    client->transport = NULL;
    completion_signal(&client->closed);
}

static void socket_connected(uv_connect_t *request, int status)
{
    struct grpc_client *client = request->data;
    if (client->stage == CLIENT_ENDED)
        return;
    if (status < 0) {
        client_set_lost(client, uv_strerror(status));
        completion_signal(&client->connected);
        return;
    }
    client->stage = CLIENT_HANDSHAKING;
    transport_start(client->transport);
}

struct attempt {
    struct grpc_client *client;
    size_t max_message;
};

static void connect_on_loop(void *arg)
{
    struct attempt *attempt = arg;
    struct grpc_client *client = attempt->client;
    client->transport = transport_new(&(struct transport_options){
        .loop = client->loop,
        .network = client->network,
        .tls = client->tls,
        .conn =
            {
                .tls = client->tls != NULL,
                .max_message = attempt->max_message,
                .events = &client_events,
                .ctx = client,
            },
        .ctx = client,
        .on_lost = transport_lost,
        .on_closed = transport_closed,
    });
    client->connect.data = client;
    uv_stream_t *stream = transport_stream(client->transport);
    if (client->network == GRPC_UNIX) {
        uv_pipe_connect(&client->connect, (uv_pipe_t *)stream, client->address, socket_connected);
        return;
    }
    struct sockaddr_storage address;
    const char *why = NULL;
    int error = 0;
    if (tcp_resolve(str_of(client->address), &address, &why))
        error = uv_tcp_connect(&client->connect, (uv_tcp_t *)stream, (const struct sockaddr *)&address, socket_connected);
    if (!why && error < 0)
        why = uv_strerror(error);
    if (why) {
        client_set_lost(client, why);
        completion_signal(&client->connected);
    }
}

static void close_on_loop(void *arg)
{
    struct grpc_client *client = arg;
    client->stage = CLIENT_ENDED;
    if (client->transport)
        transport_close(client->transport, "the connection was closed by this side");
}

static bool is_ready_on_loop(const struct grpc_client *client, const char **ret_waiting_for)
{
    if (client->stage == CLIENT_CONNECTING)
        *ret_waiting_for = "the connection";
    else if (!client->transport || !transport_is_secure(client->transport))
        *ret_waiting_for = "the TLS handshake";
    else
        *ret_waiting_for = "the HTTP/2 settings";
    return client->stage == CLIENT_READY;
}

struct verdict {
    struct grpc_client *client;
    bool ready;
    const char *waiting_for;
};

static void judge_on_loop(void *arg)
{
    struct verdict *verdict = arg;
    verdict->ready = is_ready_on_loop(verdict->client, &verdict->waiting_for);
}

/* ---- from other threads ---- */

static void destroy(struct grpc_client *client)
{
    loop_call(client->loop, close_on_loop, client);
    (void)completion_wait(&client->closed, NO_DEADLINE);
    (void)pthread_mutex_lock(&client->lock);
    while (client->n_calls > 0)
        (void)pthread_cond_wait(&client->idle, &client->lock);
    (void)pthread_mutex_unlock(&client->lock);

    tls_context_free(client->tls);
    completion_destroy(&client->connected);
    completion_destroy(&client->closed);
    (void)pthread_cond_destroy(&client->idle);
    (void)pthread_mutex_destroy(&client->lock);
    free(client->address);
    free(client);
}

static struct grpc_client *client_new(const struct grpc_client_options *options, struct tls_context *tls)
{
    struct grpc_client *client = calloc(1, sizeof *client);
    char *address = strndup(options->address.text.p, options->address.text.n);
    if (!client || !address) {
        (void)fputs("terrane: out of memory\n", stderr);
        abort();
    }
    client->loop = options->loop;
    client->log = options->log;
    client->tls = tls;
    client->network = options->address.network;
    client->address = address;
    (void)pthread_mutex_init(&client->lock, NULL);
    (void)pthread_cond_init(&client->idle, NULL);
    completion_init(&client->connected);
    completion_init(&client->closed);
    return client;
}

static const char *network_name(enum grpc_network network)
{
    return network == GRPC_UNIX ? "unix socket" : "TCP address";
}

bool grpc_client_connect(const struct grpc_client_options *options, struct diags *diags, struct grpc_client **ret)
{
    static const char summary[] = "Connection failed";
    assert(!loop_is_current(options->loop));
    const char *problem = options->address.network == GRPC_UNIX ? unix_path_problem(options->address.text) : NULL;
    if (problem)
        return diags_fail(diags, summary, "\"" STR_FMT "\": %s.", STR_ARG(options->address.text), problem);
    struct tls_context *tls = options->tls ? tls_context_new(options->tls, false, diags) : NULL;
    if (options->tls && !tls)
        return false;

    struct grpc_client *client = client_new(options, tls);
    loop_call(client->loop, connect_on_loop, &(struct attempt){client, options->max_message});
    bool in_time = completion_wait(&client->connected, options->connect_deadline);
    struct verdict verdict = {.client = client};
    loop_call(client->loop, judge_on_loop, &verdict);
    if (verdict.ready) {
        *ret = client;
        return true;
    }
    (void)pthread_mutex_lock(&client->lock);
    if (in_time)
        (void)diags_fail(diags, summary, "%s %s: waiting for %s: %s.", network_name(client->network), client->address,
                         verdict.waiting_for, client->why);
    else
        (void)diags_fail(diags, summary, "%s %s: no answer in time: waited for %s.", network_name(client->network),
                         client->address, verdict.waiting_for);
    (void)pthread_mutex_unlock(&client->lock);
    destroy(client);
    return false;
}

void grpc_client_free(struct grpc_client *client)
{
    if (!client)
        return;
    assert(!loop_is_current(client->loop));
    destroy(client);
}

bool grpc_client_is_lost(const struct grpc_client *client)
{
    return atomic_load(&client->lost);
}
