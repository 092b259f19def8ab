/*
 * Listening and connections.
 *
 * Shutdown, in grpc_server_free(): the listener closes and every connection sends GOAWAY; running calls may finish until the
 * deadline; then connections are closed, which cancels calls that still run; then it waits for threads, listener and connections.
 * When `n_open` and `n_running` are 0, nothing can use the server any more.
 */
#include "base/lock.h"
#include "base/must.h"
#include "grpc/resolve.h"
#include "grpc/server_private.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum {
    BACKLOG = 128,
    CONNECTIONS_MAX = 128,
    HANDSHAKE_MS = 20000, /* limit for TLS and HTTP/2 settings; then the connection is closed */
};

static void count(struct grpc_server *server, size_t *what, int change)
{
    mutex_lock(&server->lock);
    *what += (size_t)change;
    if (*what == 0)
        cond_broadcast(&server->changed);
    mutex_unlock(&server->lock);
}

static void count_open(struct grpc_server *server, int change)
{
    count(server, &server->n_open, change);
}

void server_count_running(struct grpc_server *server, int change)
{
    count(server, &server->n_running, change);
}

/* ---- connections, on the loop's thread ---- */

void peer_free_if_done(struct server_peer *c)
{
    if (c->transport || c->n_calls > 0)
        return;
    if (c->prev)
        c->prev->next = c->next;
    else
        c->server->peers = c->next;
    if (c->next)
        c->next->prev = c->prev;
    struct grpc_server *server = c->server;
    free(c);
    count_open(server, -1);
}

static void transport_input(void *ctx)
{
    peer_start_calls(ctx);
}

static void transport_lost(void *ctx, const char *why)
{
    struct server_peer *c = ctx;
    log_debug(c->server->options.log, "connection ended", LOG_Z("why", why));
}

static void transport_closed(void *ctx)
{
    struct server_peer *c = ctx;
    c->transport = NULL;
    peer_free_if_done(c);
}

static struct server_peer *peer_new(struct grpc_server *server)
{
    struct server_peer *c = must(calloc(1, sizeof *c));
    c->server = server;
    c->transport = transport_new(&(struct transport_options){
        .loop = server->options.loop,
        .network = server->options.address.network,
        .tls = server->tls,
        .handshake_ms = HANDSHAKE_MS,
        .conn =
            {
                .server = true,
                .max_message = server->options.max_message,
                .max_calls = server->options.max_calls,
                .events = &server_events,
                .ctx = c,
            },
        .ctx = c,
        .on_input = transport_input,
        .on_lost = transport_lost,
        .on_closed = transport_closed,
    });
    c->next = server->peers;
    if (c->next)
        c->next->prev = c;
    server->peers = c;
    count_open(server, 1);
    return c;
}

static void peer_arrived(uv_stream_t *listener, int status)
{
    struct grpc_server *server = listener->data;
    if (status < 0) {
        log_warn(server->options.log, "cannot accept a connection", LOG_Z("why", uv_strerror(status)));
        return;
    }
    struct server_peer *c = peer_new(server);
    int error = uv_accept(listener, transport_stream(c->transport));
    /* Only this thread changes n_open, so it may be read here without the lock; it includes the listener. */
    if (error < 0 || server->n_open > CONNECTIONS_MAX + 1) {
        log_warn(server->options.log, "connection refused", LOG_Z("why", error < 0 ? uv_strerror(error) : "too many"));
        transport_close(c->transport, "refused");
        return;
    }
    transport_start(c->transport);
}

/* ---- listening, on the loop's thread ---- */

struct opening {
    struct grpc_server *server;
    char *path;
    const char *why;
};

static int listen_unix(struct grpc_server *server, const char *path)
{
    uv_pipe_t *pipe = &server->listener.pipe;
    (void)uv_pipe_init(loop_uv(server->options.loop), pipe, 0);
    int error = uv_pipe_bind(pipe, path);
    /* Nobody can connect between bind() and listen(), so the mode applies from the first connection on. */
    if (error == 0 && chmod(path, 0600) != 0)
        error = uv_translate_sys_error(errno);
    return error < 0 ? error : uv_listen(&server->listener.stream, BACKLOG, peer_arrived);
}

static int listen_tcp(struct grpc_server *server, const struct sockaddr_storage *wanted, struct sockaddr_storage *ret)
{
    uv_tcp_t *tcp = &server->listener.tcp;
    (void)uv_tcp_init(loop_uv(server->options.loop), tcp);
    int error = uv_tcp_bind(tcp, (const struct sockaddr *)wanted, 0);
    if (error == 0)
        error = uv_listen(&server->listener.stream, BACKLOG, peer_arrived);
    int n = sizeof *ret;
    return error < 0 ? error : uv_tcp_getsockname(tcp, (struct sockaddr *)ret, &n);
}

static void listener_closed(uv_handle_t *handle)
{
    count_open(handle->data, -1);
}

static void close_listener(struct grpc_server *server)
{
    if (!uv_is_closing(&server->listener.handle))
        uv_close(&server->listener.handle, listener_closed);
}

static void open_on_loop(void *arg)
{
    struct opening *opening = arg;
    struct grpc_server *server = opening->server;
    const struct grpc_address *address = &server->options.address;
    int error;
    if (address->network == GRPC_UNIX) {
        opening->why = unix_path_problem(address->text);
        if (opening->why)
            return;
        server->address = (struct grpc_address){GRPC_UNIX, arena_str(server->arena, address->text)};
        error = listen_unix(server, server->address.text.p);
    } else {
        struct sockaddr_storage wanted, real;
        if (!tcp_resolve(address->text, &wanted, &opening->why))
            return;
        error = listen_tcp(server, &wanted, &real);
        if (error == 0)
            server->address = (struct grpc_address){GRPC_TCP, tcp_format(server->arena, &real)};
    }
    server->listener.handle.data = server;
    count_open(server, 1);
    if (error < 0) {
        opening->why = uv_strerror(error);
        close_listener(server);
    }
}

static void stop_on_loop(void *arg)
{
    struct grpc_server *server = arg;
    server->stopping = true;
    close_listener(server);
    for (struct server_peer *c = server->peers; c; c = c->next) {
        if (!c->transport)
            continue;
        conn_shut_down(transport_conn(c->transport));
        transport_wake(c->transport);
    }
}

static void cut_on_loop(void *arg)
{
    struct grpc_server *server = arg;
    for (struct server_peer *c = server->peers; c; c = c->next)
        if (c->transport)
            transport_close(c->transport, "the server is shutting down");
}

/* ---- from other threads ---- */

static void wait_until(struct grpc_server *server, bool connections_too, int64_t deadline)
{
    mutex_lock(&server->lock);
    while ((server->n_running > 0 || (connections_too && server->n_open > 0)) &&
           cond_wait(&server->changed, &server->lock, deadline))
        ;
    mutex_unlock(&server->lock);
}

static void destroy(struct grpc_server *server)
{
    wait_until(server, true, NO_DEADLINE);
    loop_timer_free(server->deadlines);
    workers_free(server->workers);
    tls_context_free(server->tls);
    cond_destroy(&server->changed);
    mutex_destroy(&server->lock);
    arena_free(server->arena);
    free(server);
}

static struct grpc_server *server_new(const struct grpc_server_options *options, struct tls_context *tls)
{
    struct grpc_server *server = must(calloc(1, sizeof *server));
    server->options = *options;
    server->options.tls = NULL; /* the pointer is the caller's; `tls` was created from it */
    server->tls = tls;
    server->arena = arena_new(NULL, 0);
    server->workers = workers_new("grpc", SIZE_MAX);
    server->deadlines = loop_timer_new(options->loop, server_end_late_calls, server);
    server->next_deadline = INT64_MAX;
    mutex_init(&server->lock);
    cond_init(&server->changed);
    return server;
}

bool grpc_server_start(const struct grpc_server_options *options, struct diags *diags, struct grpc_server **ret)
{
    assert(!loop_is_current(options->loop) && options->max_calls > 0);
    struct tls_context *tls = options->tls ? tls_context_new(options->tls, true, diags) : NULL;
    if (options->tls && !tls)
        return false;
    struct grpc_server *server = server_new(options, tls);
    struct opening opening = {.server = server};
    loop_call(options->loop, open_on_loop, &opening);
    if (opening.why) {
        (void)diags_fail(diags, "Cannot listen", "%s " STR_FMT ": %s.",
                         options->address.network == GRPC_UNIX ? "unix socket" : "TCP address", STR_ARG(options->address.text),
                         opening.why);
        destroy(server);
        return false;
    }
    *ret = server;
    return true;
}

struct grpc_address grpc_server_address(const struct grpc_server *server)
{
    return server->address;
}

void grpc_server_free(struct grpc_server *server, int64_t deadline)
{
    if (!server)
        return;
    assert(!loop_is_current(server->options.loop));
    loop_call(server->options.loop, stop_on_loop, server);
    wait_until(server, false, deadline);
    loop_call(server->options.loop, cut_on_loop, server);
    destroy(server);
}
