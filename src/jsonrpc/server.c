#include "jsonrpc/server.h"

#include "base/workers.h"
#include "jsonrpc/connection.h"
#include "jsonrpc/socket.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ACCEPT_PAUSE_MS = 1000 };

static void must(bool ok)
{
    if (!ok)
        abort(); /* the machine has no descriptor or no thread left at the very start */
}

void server_init(struct server *s, const struct rpc_server_options *options)
{
    *s = (struct server){
        .options = *options,
        .stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
        .ended_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK),
    };
    must(s->stop_fd >= 0 && s->ended_fd >= 0);
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->changed, NULL);
    s->workers = workers_new(options->workers);
}

void server_done(struct server *s)
{
    workers_free(s->workers);
    (void)pthread_cond_destroy(&s->changed);
    (void)pthread_mutex_destroy(&s->lock);
    (void)close(s->stop_fd);
    (void)close(s->ended_fd);
}

static void cancel_all(struct connection *c)
{
    (void)pthread_mutex_lock(&c->lock);
    for (struct request *r = c->requests.next; r != &c->requests; r = r->next)
        cancel_fire(r->rpc.cancel);
    (void)pthread_mutex_unlock(&c->lock);
}

/* The first connection of the list that `after` comes before, held; NULL: none. */
static struct connection *next_connection(struct server *s, struct connection *after)
{
    (void)pthread_mutex_lock(&s->lock);
    struct connection *c = after ? after->next : s->connections;
    /* One without holders is about to leave the list. */
    for (; c; c = c->next) {
        size_t holders = atomic_load(&c->holders);
        while (holders > 0 && !atomic_compare_exchange_weak(&c->holders, &holders, holders + 1))
            ;
        if (holders > 0)
            break;
    }
    (void)pthread_mutex_unlock(&s->lock);
    return c;
}

void server_stop(struct server *s)
{
    if (atomic_exchange(&s->stopping, true))
        return;
    (void)eventfd_write(s->stop_fd, 1);
    for (struct connection *c = next_connection(s, NULL), *next; c; c = next) {
        cancel_all(c);
        next = next_connection(s, c);
        connection_release(c);
    }
}

static void on_cancel(void *arg)
{
    server_stop(arg);
}

/* Streams */

bool rpc_serve_streams(const struct rpc_server_options *options, int in, int out, struct diags *diags)
{
    struct server s;
    server_init(&s, options);
    struct cancel_watch watch = {.fn = on_cancel, .arg = &s};
    cancel_watch(options->cancel, &watch);
    struct connection *c = connection_new(&s, in, out, false);
    int error = connection_read(c);
    connection_release(c);
    /* Requests may still be cancelled while they are finished. */
    workers_free(s.workers);
    s.workers = NULL;
    cancel_unwatch(options->cancel, &watch);
    int output_error = s.output_error;
    server_done(&s);
    if (error)
        return diags_fail(diags, "Input failed", "Requests cannot be read: %s.", strerror(error));
    /* A peer that went away is no error worth a message. */
    if (output_error && output_error != EPIPE)
        return diags_fail(diags, "Output failed", "Answers cannot be written: %s.", strerror(output_error));
    return output_error == 0;
}

/* A socket */

static void *read_connection(void *arg)
{
    struct connection *c = arg;
    struct server *s = c->server;
    int error = connection_read(c);
    if (error)
        log_info(s->options.log, "connection lost", LOG_Z("reason", strerror(error)));
    connection_release(c);
    (void)pthread_mutex_lock(&s->lock);
    s->n_readers--;
    (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
    return NULL;
}

static void start_connection(struct server *s, int fd)
{
    struct connection *c = connection_new(s, fd, fd, true);
    (void)pthread_mutex_lock(&s->lock);
    s->n_readers++;
    (void)pthread_mutex_unlock(&s->lock);
    pthread_t thread;
    if (pthread_create(&thread, NULL, read_connection, c) == 0) {
        (void)pthread_detach(thread); /* n_readers tells when the last one is done */
        return;
    }
    log_warn(s->options.log, "connection refused", LOG_Z("reason", "no thread"));
    connection_release(c);
    (void)pthread_mutex_lock(&s->lock);
    s->n_readers--;
    (void)pthread_mutex_unlock(&s->lock);
}

static bool has_room(struct server *s)
{
    (void)pthread_mutex_lock(&s->lock);
    bool room = s->n_connections < RPC_MAX_CONNECTIONS;
    (void)pthread_mutex_unlock(&s->lock);
    return room;
}

/* Waits for a connection, for one that ends when there are too many, or for the stop, which gives false. `pause`: accepting has
 * just failed for want of something, and a listener that is still ready must not keep us busy. */
static bool wait_for_connection(struct server *s, int listener, bool pause)
{
    struct pollfd p[] = {
        {.fd = s->stop_fd, .events = POLLIN},
        {.fd = s->ended_fd, .events = POLLIN},
        {.fd = !pause && has_room(s) ? listener : -1, .events = POLLIN},
    };
    eventfd_t ended;
    while (poll(p, 3, pause ? ACCEPT_PAUSE_MS : -1) < 0)
        if (errno != EINTR)
            return false;
    if (p[1].revents)
        (void)eventfd_read(s->ended_fd, &ended);
    return p[0].revents == 0;
}

static void accept_all(struct server *s, int listener)
{
    bool pause = false;
    while (wait_for_connection(s, listener, pause)) {
        int fd = has_room(s) ? accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK) : -1;
        pause = fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS);
        if (fd >= 0)
            start_connection(s, fd);
        else if (pause)
            log_warn(s->options.log, "connection refused", LOG_Z("reason", strerror(errno)));
    }
}

static void wait_for_readers(struct server *s)
{
    (void)pthread_mutex_lock(&s->lock);
    while (s->n_readers > 0)
        (void)pthread_cond_wait(&s->changed, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
}

bool rpc_serve_socket(const struct rpc_server_options *options, const char *path, struct diags *diags)
{
    struct socket_file file;
    if (!socket_file_listen(path, diags, &file))
        return false;
    struct server s;
    server_init(&s, options);
    struct cancel_watch watch = {.fn = on_cancel, .arg = &s};
    cancel_watch(options->cancel, &watch);
    log_info(options->log, "listening", LOG_Z("socket", path));
    accept_all(&s, file.fd);
    socket_file_close(&file);
    wait_for_readers(&s);
    cancel_unwatch(options->cancel, &watch);
    server_done(&s);
    return true;
}
