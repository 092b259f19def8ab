#include "jsonrpc/server.h"

#include "base/lock.h"
#include "base/must.h"
#include "jsonrpc/connection_private.h"
#include "jsonrpc/socket.h"
#include "loop/thread.h"
#include "loop/workers.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ACCEPT_PAUSE_MS = 1000 };

static void server_init(struct rpc_server *s, const struct rpc_server_options *options)
{
    *s = (struct rpc_server){
        .options = *options,
        .stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
        .ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
    };
    must_be(s->stop_fd >= 0 && s->ended_fd >= 0, "cannot serve: no file descriptor");
    mutex_init(&s->lock);
    cond_init(&s->changed);
    s->workers = workers_new("rpc", options->workers);
}

/* Finishes all requests and sends all answers. */
static void server_finish(struct rpc_server *s)
{
    mutex_lock(&s->lock);
    while (s->pending > 0 || s->n_readers > 0 || s->n_connections > 0)
        (void)cond_wait(&s->changed, &s->lock, NO_DEADLINE);
    mutex_unlock(&s->lock);
}

static void server_done(struct rpc_server *s)
{
    workers_free(s->workers);
    cond_destroy(&s->changed);
    mutex_destroy(&s->lock);
    (void)close(s->stop_fd);
    (void)close(s->ended_fd);
}

/* The next connection in the list after `after` (NULL: the first one), held; NULL: none. */
static struct rpc_connection *next_connection(struct rpc_server *s, struct rpc_connection *after)
{
    mutex_lock(&s->lock);
    struct rpc_connection *c = after ? after->next : s->connections;
    /* A connection without holders is about to be removed from the list. */
    for (; c; c = c->next) {
        size_t holders = atomic_load(&c->holders);
        while (holders > 0 && !atomic_compare_exchange_weak(&c->holders, &holders, holders + 1))
            ;
        if (holders > 0)
            break;
    }
    mutex_unlock(&s->lock);
    return c;
}

void rpc_server_stop(struct rpc_server *s)
{
    if (atomic_exchange(&s->stopping, true))
        return;
    (void)eventfd_write(s->stop_fd, 1);
    for (struct rpc_connection *c = next_connection(s, NULL), *next; c; c = next) {
        rpc_connection_stop(c);
        next = next_connection(s, c);
        rpc_connection_release(c);
    }
}

static void on_cancel(void *arg)
{
    rpc_server_stop(arg);
}

/* Streams */

bool rpc_serve_streams(const struct rpc_server_options *options, int in, int out, struct diags *diags)
{
    struct rpc_server s;
    server_init(&s, options);
    struct cancel_watch watch = {.fn = on_cancel, .arg = &s};
    cancel_watch(options->cancel, &watch);
    struct rpc_connection *c = rpc_connection_new(&s, in, out, false);
    int error = c ? rpc_connection_read(c) : EAGAIN;
    if (c)
        rpc_connection_release(c);
    server_finish(&s); /* requests can still be cancelled during this */
    cancel_unwatch(options->cancel, &watch);
    int output_error = s.output_error;
    server_done(&s);
    if (error)
        return diags_fail(diags, "Input failed", "Cannot read requests: %s.", strerror(error));
    /* A peer that closed its end is not an error. */
    if (output_error && output_error != EPIPE)
        return diags_fail(diags, "Output failed", "Cannot write answers: %s.", strerror(output_error));
    return output_error == 0;
}

/* A socket */

static void *read_connection(void *arg)
{
    struct rpc_connection *c = arg;
    struct rpc_server *s = c->server;
    int error = rpc_connection_read(c);
    if (error)
        log_info(s->options.log, "connection lost", LOG_Z("reason", strerror(error)));
    rpc_connection_release(c);
    mutex_lock(&s->lock);
    s->n_readers--;
    cond_broadcast(&s->changed);
    mutex_unlock(&s->lock);
    return NULL;
}

static void start_connection(struct rpc_server *s, int fd)
{
    struct rpc_connection *c = rpc_connection_new(s, fd, fd, true);
    mutex_lock(&s->lock);
    s->n_readers++;
    mutex_unlock(&s->lock);
    if (c && thread_start_detached("rpc-reader", read_connection, c) == 0)
        return; /* n_readers counts the running readers */
    log_warn(s->options.log, "connection refused", LOG_Z("reason", "no thread"));
    if (c)
        rpc_connection_release(c);
    mutex_lock(&s->lock);
    s->n_readers--;
    mutex_unlock(&s->lock);
}

static bool has_room(struct rpc_server *s)
{
    mutex_lock(&s->lock);
    bool room = s->n_connections < RPC_MAX_CONNECTIONS;
    mutex_unlock(&s->lock);
    return room;
}

/*
 * Another client wants to connect: closes the connection that has been idle longest, if it was idle long enough. Only one at a
 * time; ended_fd signals that its place is free.
 */
static void make_room(struct rpc_server *s)
{
    int64_t patience = s->options.idle_ns > 0 ? s->options.idle_ns : RPC_IDLE_PATIENCE_S * NS_PER_S;
    int64_t now = clock_now(&system_clock);
    struct rpc_connection *idlest = NULL;
    mutex_lock(&s->lock);
    for (struct rpc_connection *c = s->connections; c; c = c->next)
        if (c->pending == 0 && now - c->last_heard >= patience && (!idlest || c->last_heard < idlest->last_heard))
            idlest = c;
    if (idlest) {
        idlest->last_heard = now;
        (void)shutdown(idlest->in, SHUT_RDWR);
    }
    mutex_unlock(&s->lock);
    if (idlest)
        log_warn(s->options.log, "connection ended to make room for another: it was silent for longest");
}

enum event { EVENT_STOP, EVENT_NONE, EVENT_CONNECTION };

/*
 * Waits for a new connection, for the end of one, or for the stop. `pause`: accepting is not possible now (too many connections,
 * or no descriptors or memory), so the listener is not polled, to avoid a busy loop.
 */
static enum event wait_for_connection(struct rpc_server *s, int listener, bool pause)
{
    struct pollfd p[] = {
        {.fd = s->stop_fd, .events = POLLIN},
        {.fd = s->ended_fd, .events = POLLIN},
        {.fd = pause ? -1 : listener, .events = POLLIN},
    };
    eventfd_t ended;
    while (poll(p, 3, pause ? ACCEPT_PAUSE_MS : -1) < 0)
        if (errno != EINTR)
            return EVENT_STOP;
    if (p[1].revents)
        (void)eventfd_read(s->ended_fd, &ended);
    return p[0].revents ? EVENT_STOP : p[2].revents ? EVENT_CONNECTION : EVENT_NONE;
}

/* False: cannot accept now. */
static bool accept_one(struct rpc_server *s, int listener)
{
    if (!has_room(s)) {
        make_room(s);
        return false;
    }
    int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
        start_connection(s, fd);
        return true;
    }
    if (errno != EMFILE && errno != ENFILE && errno != ENOMEM && errno != ENOBUFS)
        return true;
    log_warn(s->options.log, "connection refused", LOG_Z("reason", strerror(errno)));
    return false;
}

static void accept_all(struct rpc_server *s, int listener)
{
    bool pause = false;
    for (enum event e; (e = wait_for_connection(s, listener, pause)) != EVENT_STOP;)
        pause = e == EVENT_CONNECTION && !accept_one(s, listener);
}

bool rpc_serve_socket(const struct rpc_server_options *options, const char *path, struct diags *diags)
{
    struct rpc_socket_file file;
    if (!rpc_socket_file_listen(path, diags, &file))
        return false;
    struct rpc_server s;
    server_init(&s, options);
    struct cancel_watch watch = {.fn = on_cancel, .arg = &s};
    cancel_watch(options->cancel, &watch);
    log_info(options->log, "listening", LOG_Z("socket", path));
    accept_all(&s, file.fd);
    rpc_socket_file_close(&file);
    server_finish(&s);
    cancel_unwatch(options->cancel, &watch);
    server_done(&s);
    return true;
}
