#include "jsonrpc/connection.h"

#include "base/workers.h"
#include "jsonrpc/lines.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { READ_SIZE = 64 << 10 };

struct connection *connection_new(struct server *s, int in, int out, bool is_socket)
{
    struct connection *c = calloc(1, sizeof *c);
    if (!c)
        abort();
    *c = (struct connection){.server = s, .in = in, .out = out, .is_socket = is_socket, .holders = 1};
    c->requests.prev = c->requests.next = &c->requests;
    (void)pthread_mutex_init(&c->lock, NULL);
    (void)pthread_mutex_init(&c->writing, NULL);
    (void)pthread_mutex_lock(&s->lock);
    c->next = s->connections;
    if (c->next)
        c->next->prev = c;
    s->connections = c;
    s->n_connections++;
    (void)pthread_mutex_unlock(&s->lock);
    return c;
}

void connection_release(struct connection *c)
{
    struct server *s = c->server;
    if (atomic_fetch_sub(&c->holders, 1) > 1)
        return;
    (void)pthread_mutex_lock(&s->lock);
    if (c->prev)
        c->prev->next = c->next;
    else
        s->connections = c->next;
    if (c->next)
        c->next->prev = c->prev;
    s->n_connections--;
    (void)eventfd_write(s->ended_fd, 1);
    (void)pthread_mutex_unlock(&s->lock);
    if (c->is_socket)
        (void)close(c->in);
    assert(c->requests.next == &c->requests);
    (void)pthread_mutex_destroy(&c->lock);
    (void)pthread_mutex_destroy(&c->writing);
    free(c);
}

/* Writing */

/* 0 or errno. */
static int write_all(int fd, struct str bytes)
{
    while (bytes.n > 0) {
        ssize_t n = write(fd, bytes.p, bytes.n);
        if (n >= 0) {
            bytes = str_slice(bytes, (size_t)n, bytes.n);
            continue;
        }
        if (errno == EINTR)
            continue;
        if (errno != EAGAIN)
            return errno;
        struct pollfd p = {.fd = fd, .events = POLLOUT};
        if (poll(&p, 1, RPC_WRITE_PATIENCE_S * 1000) == 0)
            return ETIMEDOUT;
    }
    return 0;
}

/* What cannot be delivered on a stream is the end of the server: nobody is there to ask for more. */
static void give_up(struct connection *c, int error)
{
    struct server *s = c->server;
    c->broken = true;
    log_warn(s->options.log, "answer not delivered", LOG_Z("reason", strerror(error)));
    if (c->is_socket) {
        (void)shutdown(c->out, SHUT_RDWR);
        return;
    }
    (void)pthread_mutex_lock(&s->lock);
    s->output_error = error;
    (void)pthread_mutex_unlock(&s->lock);
}

bool connection_send(struct connection *c, struct str line)
{
    (void)pthread_mutex_lock(&c->writing);
    bool first = !c->broken;
    int error = first ? write_all(c->out, line) : 0;
    if (error)
        give_up(c, error);
    bool broken = c->broken;
    (void)pthread_mutex_unlock(&c->writing);
    if (error && !c->is_socket)
        server_stop(c->server);
    return !broken;
}

bool rpc_notify(struct rpc_request *r, struct str method, bool (*write_params)(void *ctx, struct json_writer *w), void *ctx)
{
    struct buf out BUF_AUTO = BUF_INIT(RPC_MAX_ANSWER);
    struct json_writer w = {.out = &out};
    rpc_begin_notification(&w, method);
    return write_params(ctx, &w) && rpc_end(&w) && connection_send(r->connection, buf_str(&out));
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

static void send_error(struct connection *c, const struct json *id, const struct rpc_error *error)
{
    struct buf out BUF_AUTO = BUF_INIT(RPC_MAX_ANSWER);
    rpc_write_error(&out, id, error);
    (void)connection_send(c, buf_str(&out));
}

static void answer(struct connection *c, struct rpc_request *r)
{
    struct buf out BUF_AUTO = BUF_INIT(RPC_MAX_ANSWER);
    struct json_writer w = {.out = &out};
    const struct rpc_server_options *options = &c->server->options;
    rpc_begin_answer(&w, r->message.id);
    bool ok = cancel_fired(r->cancel) ? rpc_fail(r, RPC_CANCELLED, "cancelled") : options->handle(options->ctx, r, &w);
    if (ok && !rpc_end(&w))
        ok = rpc_fail(r, RPC_INTERNAL, "the answer has more than %zu bytes, or is nested too deep", RPC_MAX_ANSWER);
    if (ok)
        (void)connection_send(c, buf_str(&out));
    else
        send_error(c, r->message.id, &r->error);
}

static void count_request(struct server *s, const struct request *r, bool ends)
{
    (void)pthread_mutex_lock(&s->lock);
    s->pending += ends ? (size_t)-1 : 1;
    s->pending_bytes += ends ? 0 - r->bytes : r->bytes;
    if (ends)
        (void)pthread_cond_broadcast(&s->changed);
    (void)pthread_mutex_unlock(&s->lock);
}

static void run_request(void *arg)
{
    struct request *r = arg;
    struct connection *c = r->rpc.connection;
    int64_t start = clock_now(&system_clock);
    answer(c, &r->rpc);
    log_debug(c->server->options.log, "request done", LOG_STR("method", rpc_shown(r->rpc.arena, r->rpc.message.method)),
              LOG_INT("error", r->rpc.error.code), LOG_INT("us", (clock_now(&system_clock) - start) / 1000));
    (void)pthread_mutex_lock(&c->lock);
    r->prev->next = r->next;
    r->next->prev = r->prev;
    (void)pthread_mutex_unlock(&c->lock);
    count_request(c->server, r, true);
    cancel_free(r->rpc.cancel);
    arena_free(r->rpc.arena);
    connection_release(c);
}

/* A reader that is ahead of the workers waits here; one request is always let in. */
static void wait_for_room(struct server *s)
{
    (void)pthread_mutex_lock(&s->lock);
    while (s->pending > 0 && (s->pending >= RPC_MAX_PENDING || s->pending_bytes >= RPC_MAX_PENDING_BYTES))
        (void)pthread_cond_wait(&s->changed, &s->lock);
    (void)pthread_mutex_unlock(&s->lock);
}

static void start_request(struct connection *c, struct request *r)
{
    wait_for_room(c->server);
    r->rpc.connection = c;
    r->rpc.cancel = cancel_new();
    r->bytes = arena_used(r->rpc.arena);
    atomic_fetch_add(&c->holders, 1);
    (void)pthread_mutex_lock(&c->lock);
    r->prev = c->requests.prev;
    r->next = &c->requests;
    r->prev->next = r->next->prev = r;
    /* Whoever stops the server either sees this request in the list, or was faster. */
    if (atomic_load(&c->server->stopping))
        cancel_fire(r->rpc.cancel);
    (void)pthread_mutex_unlock(&c->lock);
    count_request(c->server, r, false);
    workers_submit(c->server->workers, run_request, r);
}

/* Notifications */

static void cancel_request(struct connection *c, const struct json *id)
{
    size_t n = 0;
    (void)pthread_mutex_lock(&c->lock);
    for (struct request *r = c->requests.next; id && r != &c->requests; r = r->next) {
        const struct json *other = r->rpc.message.id;
        if (other->kind != id->kind || !json_eq(other, id))
            continue;
        n++;
        cancel_fire(r->rpc.cancel);
    }
    (void)pthread_mutex_unlock(&c->lock);
    log_debug(c->server->options.log, "cancellation", LOG_INT("requests", (int64_t)n));
}

static void take_notification(struct connection *c, struct arena *a, const struct rpc_message *m)
{
    if (str_eqz(m->method, "$/cancel"))
        cancel_request(c, json_get(m->params, "id"));
    else
        log_info(c->server->options.log, "notification ignored", LOG_STR("method", rpc_shown(a, m->method)));
}

/* Reading */

static void on_line(void *ctx, struct str line)
{
    struct connection *c = ctx;
    if (str_trim(line).n == 0)
        return;
    struct arena *a = arena_new(NULL, RPC_MAX_REQUEST_MEMORY);
    struct request *r = arena_make(a, struct request);
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

/* Waits for input. False: the server stops. */
static bool wait_for_input(const struct connection *c)
{
    struct pollfd p[] = {{.fd = c->in, .events = POLLIN}, {.fd = c->server->stop_fd, .events = POLLIN}};
    while (poll(p, 2, -1) < 0)
        if (errno != EINTR)
            return false;
    return p[1].revents == 0;
}

int connection_read(struct connection *c)
{
    struct line_reader lines;
    line_reader_init(&lines, RPC_MAX_LINE, c, on_line, on_too_long);
    char *bytes = malloc(READ_SIZE);
    if (!bytes)
        abort();
    int error = 0;
    bool ended = false;
    while (!ended && error == 0 && wait_for_input(c)) {
        ssize_t n = read(c->in, bytes, READ_SIZE);
        if (n > 0)
            line_reader_feed(&lines, (struct str){bytes, (size_t)n});
        else if (n == 0)
            ended = true;
        else if (errno != EINTR && errno != EAGAIN)
            error = errno;
    }
    if (ended)
        line_reader_end(&lines);
    else
        buf_free(&lines.part);
    free(bytes);
    return error;
}
