#include "base/lock.h"
#include "base/must.h"
#include "jsonrpc/connection_private.h"
#include "jsonrpc/lines.h"
#include "loop/thread.h"
#include "loop/workers.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_SIZE = 64 << 10 };

/* Beginning and end */

static void unregister(struct rpc_connection *c)
{
    struct rpc_server *s = c->server;
    if (c->prev)
        c->prev->next = c->next;
    else
        s->connections = c->next;
    if (c->next)
        c->next->prev = c->prev;
}

/* Frees the connection. Once n_connections is counted down, a thread that waits for this may free the server. */
static void connection_free(struct rpc_connection *c)
{
    struct rpc_server *s = c->server;
    mutex_lock(&s->lock);
    unregister(c);
    mutex_unlock(&s->lock);
    assert(c->requests.next == &c->requests && !c->parked);
    if (c->is_socket)
        (void)close(c->in);
    rpc_outbox_done(&c->outbox);
    mutex_destroy(&c->lock);
    free(c);
    mutex_lock(&s->lock);
    s->n_connections--;
    (void)eventfd_write(s->ended_fd, 1);
    cond_broadcast(&s->changed);
    mutex_unlock(&s->lock);
}

void rpc_connection_release(struct rpc_connection *c)
{
    if (atomic_fetch_sub(&c->holders, 1) == 1)
        rpc_outbox_end(&c->outbox);
}

/* Writing */

static void run_request(void *arg);

/*
 * Submits up to `max` parked requests again. A request that ends unparks the next one; a request that is parked again will be
 * unparked when the queue has been sent.
 */
static void unpark(struct rpc_connection *c, size_t max)
{
    mutex_lock(&c->lock);
    for (; max > 0 && c->parked && !rpc_outbox_is_full(&c->outbox); max--) {
        struct rpc_job *r = c->parked;
        c->parked = r->next_parked;
        if (!c->parked)
            c->parked_end = &c->parked;
        workers_submit(c->server->workers, run_request, r);
    }
    mutex_unlock(&c->lock);
}

static void on_sent(void *ctx)
{
    struct rpc_connection *c = ctx;
    unpark(c, c->server->options.workers);
}

/* On a stream a failure to deliver ends the server, because there is no other peer. */
static void on_failed(void *ctx, int error)
{
    struct rpc_connection *c = ctx;
    struct rpc_server *s = c->server;
    if (error == ETIMEDOUT || error == ENOBUFS)
        log_warn(s->options.log, "connection cut off: the client does not read its answers", LOG_Z("reason", strerror(error)));
    else
        log_warn(s->options.log, "answer not delivered", LOG_Z("reason", strerror(error)));
    on_sent(c);
    if (c->is_socket) {
        (void)shutdown(c->in, SHUT_RDWR);
        return;
    }
    mutex_lock(&s->lock);
    s->output_error = error;
    mutex_unlock(&s->lock);
    rpc_server_stop(s);
}

static void *write_answers(void *arg)
{
    struct rpc_connection *c = arg;
    rpc_outbox_run(&c->outbox, &(struct rpc_outbox_events){.on_sent = on_sent, .on_failed = on_failed, .ctx = c});
    connection_free(c);
    return NULL;
}

struct rpc_connection *rpc_connection_new(struct rpc_server *s, int in, int out, bool is_socket)
{
    struct rpc_connection *c = must(calloc(1, sizeof *c));
    *c = (struct rpc_connection){.server = s, .in = in, .is_socket = is_socket, .holders = 1};
    c->requests.prev = c->requests.next = &c->requests;
    c->parked_end = &c->parked;
    c->last_heard = clock_now(&system_clock);
    mutex_init(&c->lock);
    int64_t patience = s->options.patience_ns > 0 ? s->options.patience_ns : RPC_WRITE_PATIENCE_S * NS_PER_S;
    rpc_outbox_init(&c->outbox, out, s->stop_fd, !is_socket, is_socket ? patience : 0);
    mutex_lock(&s->lock);
    c->next = s->connections;
    if (c->next)
        c->next->prev = c;
    s->connections = c;
    s->n_connections++;
    mutex_unlock(&s->lock);
    if (thread_start_detached("rpc-writer", write_answers, c) != 0) { /* the end of the thread is counted in n_connections */
        connection_free(c);
        return NULL;
    }
    return c;
}

void rpc_connection_stop(struct rpc_connection *c)
{
    mutex_lock(&c->lock);
    for (struct rpc_job *r = c->requests.next; r != &c->requests; r = r->next)
        cancel_fire(r->rpc.cancel);
    mutex_unlock(&c->lock);
    rpc_outbox_stop(&c->outbox);
    on_sent(c); /* parked requests are run, and end as cancelled */
}

/*
 * Only a quarter of the workers may wait for peers, so that the others remain for other peers. On streams there is only one peer.
 */
static void wait_for_reader(struct rpc_connection *c)
{
    struct rpc_server *s = c->server;
    if (!rpc_outbox_is_full(&c->outbox))
        return;
    mutex_lock(&s->lock);
    bool may_wait = !c->is_socket || s->n_waiting < s->options.workers / 4;
    s->n_waiting += may_wait;
    mutex_unlock(&s->lock);
    if (!may_wait)
        return;
    rpc_outbox_wait(&c->outbox);
    mutex_lock(&s->lock);
    s->n_waiting--;
    mutex_unlock(&s->lock);
}

bool rpc_notify(struct rpc_request *r, struct str method, bool (*write_params)(void *ctx, struct json_writer *w), void *ctx)
{
    struct buf out BUF_AUTO = BUF_INIT(RPC_MAX_ANSWER);
    struct json_writer w = {.out = &out};
    struct rpc_connection *c = r->connection;
    rpc_begin_notification(&w, method);
    if (!write_params(ctx, &w) || !rpc_end(&w))
        return false;
    wait_for_reader(c);
    return rpc_outbox_add(&c->outbox, &out);
}

/* Requests */

bool rpc_fail(struct rpc_request *r, enum rpc_code code, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    r->error = (struct rpc_error){.code = code, .message = arena_vprintf(r->arena, format, args)};
    va_end(args);
    return false;
}

static void send_error(struct rpc_connection *c, const struct json *id, const struct rpc_error *error)
{
    struct buf out BUF_AUTO = BUF_INIT(RPC_MAX_ANSWER);
    rpc_write_error(&out, id, error);
    (void)rpc_outbox_add(&c->outbox, &out);
}

static void answer(struct rpc_connection *c, struct rpc_request *r)
{
    struct buf out BUF_AUTO = BUF_INIT(RPC_MAX_ANSWER);
    struct json_writer w = {.out = &out};
    const struct rpc_server_options *options = &c->server->options;
    rpc_begin_answer(&w, r->message.id);
    /* Not run if its answer could not be delivered, or it was cancelled. */
    bool useless = cancel_fired(r->cancel) || rpc_outbox_has_failed(&c->outbox);
    bool ok = useless ? rpc_fail(r, RPC_CANCELLED, "cancelled") : options->handle(options->ctx, r, &w);
    if (ok && !rpc_end(&w))
        ok = rpc_fail(r, RPC_INTERNAL, "the answer has more than %zu bytes, or is nested too deeply", RPC_MAX_ANSWER);
    if (ok)
        (void)rpc_outbox_add(&c->outbox, &out);
    else
        send_error(c, r->message.id, &r->error);
}

static void count_request(struct rpc_connection *c, const struct rpc_job *r, bool ends)
{
    struct rpc_server *s = c->server;
    size_t one = ends ? (size_t)-1 : 1, bytes = ends ? 0 - r->bytes : r->bytes;
    mutex_lock(&s->lock);
    s->pending += one;
    s->pending_bytes += bytes;
    c->pending += one;
    c->pending_bytes += bytes;
    if (ends)
        cond_broadcast(&s->changed);
    mutex_unlock(&s->lock);
}

/* Parks the request if its peer does not read: its answer would only take memory. */
static bool is_parked(struct rpc_connection *c, struct rpc_job *r)
{
    mutex_lock(&c->lock);
    bool park = rpc_outbox_is_full(&c->outbox);
    if (park) {
        r->next_parked = NULL;
        *c->parked_end = r;
        c->parked_end = &r->next_parked;
    }
    mutex_unlock(&c->lock);
    return park;
}

static void run_request(void *arg)
{
    struct rpc_job *r = arg;
    struct rpc_connection *c = r->rpc.connection;
    if (is_parked(c, r))
        return;
    int64_t start = clock_now(&system_clock);
    answer(c, &r->rpc);
    log_debug(c->server->options.log, "request done", LOG_STR("method", rpc_shown(r->rpc.arena, r->rpc.message.method)),
              LOG_INT("error", r->rpc.error.code), LOG_INT("us", (clock_now(&system_clock) - start) / 1000));
    mutex_lock(&c->lock);
    r->prev->next = r->next;
    r->next->prev = r->prev;
    mutex_unlock(&c->lock);
    count_request(c, r, true);
    cancel_free(r->rpc.cancel);
    arena_free(r->rpc.arena);
    unpark(c, 1);
    rpc_connection_release(c);
}

static bool is_at_limit(size_t n, size_t bytes, size_t share)
{
    return n > 0 && (n >= RPC_MAX_PENDING / share || bytes >= RPC_MAX_PENDING_BYTES / share);
}

/* Waits while the limits of the server or of the connection's share are reached; one request is always admitted. */
static void wait_for_room(const struct rpc_connection *c)
{
    struct rpc_server *s = c->server;
    size_t share = c->is_socket ? RPC_PENDING_SHARES : 1;
    mutex_lock(&s->lock);
    while (is_at_limit(s->pending, s->pending_bytes, 1) || is_at_limit(c->pending, c->pending_bytes, share))
        (void)cond_wait(&s->changed, &s->lock, NO_DEADLINE);
    mutex_unlock(&s->lock);
}

static void start_request(struct rpc_connection *c, struct rpc_job *r)
{
    wait_for_room(c);
    r->rpc.connection = c;
    r->rpc.cancel = cancel_new();
    r->bytes = arena_used(r->rpc.arena);
    atomic_fetch_add(&c->holders, 1);
    mutex_lock(&c->lock);
    r->prev = c->requests.prev;
    r->next = &c->requests;
    r->prev->next = r->next->prev = r;
    /* A thread that stops the server either finds this request in the list, or has set `stopping` before. */
    if (atomic_load(&c->server->stopping))
        cancel_fire(r->rpc.cancel);
    mutex_unlock(&c->lock);
    count_request(c, r, false);
    workers_submit(c->server->workers, run_request, r);
}

/* Notifications */

static void cancel_request(struct rpc_connection *c, const struct json *id)
{
    size_t n = 0;
    mutex_lock(&c->lock);
    for (struct rpc_job *r = c->requests.next; id && r != &c->requests; r = r->next) {
        const struct json *other = r->rpc.message.id;
        if (other->kind != id->kind || !json_eq(other, id))
            continue;
        n++;
        cancel_fire(r->rpc.cancel);
    }
    mutex_unlock(&c->lock);
    log_debug(c->server->options.log, "cancellation", LOG_INT("requests", (int64_t)n));
}

static void take_notification(struct rpc_connection *c, struct arena *a, const struct rpc_message *m)
{
    if (str_eqz(m->method, "$/cancel"))
        cancel_request(c, json_get(m->params, "id"));
    else
        log_info(c->server->options.log, "notification ignored", LOG_STR("method", rpc_shown(a, m->method)));
}

/* Reading */

static void on_line(void *ctx, struct str line)
{
    struct rpc_connection *c = ctx;
    if (str_trim(line).n == 0)
        return;
    struct arena *a = arena_new(NULL, RPC_MAX_REQUEST_MEMORY);
    struct rpc_job *r = arena_make(a, struct rpc_job);
    r->rpc.arena = a;
    if (rpc_message_read(a, line, &r->rpc.message, &r->rpc.error) && r->rpc.message.id) {
        start_request(c, r);
        return;
    }
    if (r->rpc.error.code)
        send_error(c, NULL, &r->rpc.error);
    else
        take_notification(c, a, &r->rpc.message);
    arena_free(a);
}

static void on_too_long(void *ctx)
{
    struct rpc_error error = {.code = RPC_NOT_A_REQUEST, .message = STR("the line is longer than 64 MiB")};
    send_error(ctx, NULL, &error);
}

static void note_heard(struct rpc_connection *c)
{
    mutex_lock(&c->server->lock);
    c->last_heard = clock_now(&system_clock);
    mutex_unlock(&c->server->lock);
}

/* Waits until the peer has read enough of its earlier answers, then for input. False: the server is stopping. */
static bool wait_for_input(struct rpc_connection *c)
{
    rpc_outbox_wait(&c->outbox);
    struct pollfd p[] = {{.fd = c->in, .events = POLLIN}, {.fd = c->server->stop_fd, .events = POLLIN}};
    while (poll(p, 2, -1) < 0)
        if (errno != EINTR)
            return false;
    return p[1].revents == 0;
}

int rpc_connection_read(struct rpc_connection *c)
{
    struct rpc_line_reader lines;
    rpc_line_reader_init(&lines, RPC_MAX_LINE, c, on_line, on_too_long);
    char *bytes = must(malloc(READ_SIZE));
    int error = 0;
    bool ended = false;
    while (!ended && error == 0 && wait_for_input(c)) {
        ssize_t n = read(c->in, bytes, READ_SIZE);
        note_heard(c);
        if (n > 0)
            rpc_line_reader_feed(&lines, (struct str){bytes, (size_t)n});
        else if (n == 0)
            ended = true;
        else if (errno != EINTR && errno != EAGAIN)
            error = errno;
    }
    if (ended)
        rpc_line_reader_end(&lines);
    else
        buf_free(&lines.part);
    free(bytes);
    return error;
}
