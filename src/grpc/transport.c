/*
 * Output: core -> (TLS) -> `out` -> try to write at once -> what the socket does not take becomes `writing`, one uv_write at a
 * time; the core is asked for more only when all is written, so a slow peer costs at most two buffers of OUT_LIMIT.
 *
 * End: lose() and transport_close() both lead to close_handles(), which runs once. `n_open` handles have to close before
 * on_closed is called and the memory goes.
 */
#include "grpc/transport.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    IN_SIZE = 256 << 10,
    OUT_LIMIT = 256 << 10,
    OUT_MAX = 64 << 20, /* never near: OUT_LIMIT and one frame */
    LINGER_MS = 1000,
};

struct transport {
    struct transport_options options;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    } socket;
    uv_check_t round_end;
    uv_timer_t timer; /* the handshake's limit, at the end the limit for last words */
    int n_open;
    struct conn *conn;
    struct tls_filter *tls;

    bool started;
    bool dirty;   /* the core may have output */
    bool mute;    /* writing failed */
    bool lost;    /* no more input, calls are ended */
    bool closing; /* close when all is said */
    bool said_goodbye;
    bool closed; /* handles are closing */

    struct buf plain; /* with TLS: from the core */
    struct buf out;   /* without */
    struct buf writing;
    uv_write_t write;
    bool is_writing;
    char in[IN_SIZE];
};

static void flush(struct transport *t);

static void handle_closed(uv_handle_t *handle)
{
    struct transport *t = handle->data;
    if (--t->n_open > 0)
        return;
    struct transport_options options = t->options;
    conn_free(t->conn);
    tls_filter_free(t->tls);
    buf_free(&t->plain);
    buf_free(&t->out);
    buf_free(&t->writing);
    free(t);
    options.on_closed(options.ctx); /* last: the owner may free what we used, such as the TLS context */
}

static void close_handles(struct transport *t)
{
    if (t->closed)
        return;
    t->closed = true;
    uv_close(&t->socket.handle, handle_closed);
    uv_close((uv_handle_t *)&t->round_end, handle_closed);
    uv_close((uv_handle_t *)&t->timer, handle_closed);
}

static void linger_over(uv_timer_t *timer)
{
    close_handles(timer->data);
}

/* Calls end now; what is still to be said (answers of finished calls, GOAWAY) is given a moment. */
static void wind_up(struct transport *t, const char *why)
{
    t->closing = true;
    conn_shut_down(t->conn);
    conn_lose(t->conn, str_of(why));
    if (!t->started) {
        close_handles(t);
        return;
    }
    (void)uv_timer_start(&t->timer, linger_over, LINGER_MS, 0);
    flush(t);
}

static void lose(struct transport *t, const char *why)
{
    if (t->lost || t->closing)
        return;
    t->lost = true;
    (void)uv_read_stop(&t->socket.stream);
    char reason[256];
    (void)snprintf(reason, sizeof reason, "%s", why);
    /* The owner first: a caller whose call ends below must find the connection lost. */
    t->options.on_lost(t->options.ctx, reason);
    wind_up(t, reason);
}

void transport_close(struct transport *t, const char *why)
{
    if (t->closing)
        return;
    wind_up(t, why);
}

/* ---- output ---- */

static struct buf *output_of(struct transport *t)
{
    return t->tls ? tls_filter_output(t->tls) : &t->out;
}

/* Asks the core for more; false when there is nothing to write. */
static bool fill(struct transport *t)
{
    struct buf *out = output_of(t);
    if (!t->tls) {
        (void)conn_pump(t->conn, out, OUT_LIMIT);
        return out->n > 0;
    }
    if (tls_filter_is_ready(t->tls)) {
        (void)conn_pump(t->conn, &t->plain, OUT_LIMIT);
        (void)tls_filter_send(t->tls, buf_str(&t->plain));
        buf_clear(&t->plain);
    }
    return out->n > 0;
}

static const char peer_closed[] = "the peer closed the connection";

static void no_last_words(uv_timer_t *timer)
{
    lose(timer->data, peer_closed);
}

/* The peer takes no more. What it said before may hold the reason (an alert, a GOAWAY), so it is read to its end. */
static void stop_writing(struct transport *t)
{
    t->mute = true;
    buf_clear(output_of(t));
    if (t->closing)
        close_handles(t);
    else
        (void)uv_timer_start(&t->timer, no_last_words, LINGER_MS, 0);
}

static void written(uv_write_t *request, int status)
{
    struct transport *t = request->data;
    t->is_writing = false;
    buf_clear(&t->writing);
    if (t->closed)
        return;
    if (status < 0)
        stop_writing(t);
    else
        flush(t);
}

/* The rest of the output becomes `writing`; the buffers change places, nothing is copied. */
static void write_rest(struct transport *t, size_t done)
{
    struct buf *out = output_of(t);
    struct buf rest = *out;
    *out = t->writing;
    t->writing = rest;
    t->write.data = t;
    uv_buf_t piece = uv_buf_init(rest.p + done, (unsigned)(rest.n - done));
    t->is_writing = uv_write(&t->write, &t->socket.stream, &piece, 1, written) == 0;
    if (!t->is_writing)
        buf_clear(&t->writing);
}

static void say_goodbye(struct transport *t)
{
    t->said_goodbye = true;
    tls_filter_shut_down(t->tls);
    flush(t);
}

static void flush(struct transport *t)
{
    if (t->closed || !t->started)
        return;
    if (t->mute) {
        if (t->closing)
            close_handles(t);
        return;
    }
    t->dirty = false;
    while (!t->is_writing && fill(t)) {
        struct buf *out = output_of(t);
        uv_buf_t all = uv_buf_init(out->p, (unsigned)out->n);
        int n = uv_try_write(&t->socket.stream, &all, 1);
        if (n < 0 && n != UV_EAGAIN) {
            stop_writing(t);
            return;
        }
        if (n >= 0 && (size_t)n == out->n)
            buf_clear(out);
        else
            write_rest(t, n > 0 ? (size_t)n : 0);
    }
    if (t->is_writing || (!t->lost && !conn_is_over(t->conn)))
        return;
    if (!t->closing)
        lose(t, conn_problem(t->conn)[0] ? conn_problem(t->conn) : "the peer has shut down");
    else if (t->tls && !t->said_goodbye)
        say_goodbye(t);
    else
        close_handles(t);
}

void transport_wake(struct transport *t)
{
    t->dirty = true;
}

static void round_ended(uv_check_t *check)
{
    struct transport *t = check->data;
    if (t->dirty)
        flush(t);
}

/* ---- input ---- */

static void give_memory(uv_handle_t *handle, size_t suggested, uv_buf_t *ret)
{
    (void)suggested;
    struct transport *t = handle->data;
    *ret = uv_buf_init(t->in, sizeof t->in);
}

static bool plain_received(void *ctx, struct str bytes)
{
    struct transport *t = ctx;
    return conn_receive(t->conn, bytes);
}

static void take_input(struct transport *t, struct str bytes)
{
    bool ok = t->tls ? tls_filter_receive(t->tls, bytes, plain_received, t) : conn_receive(t->conn, bytes);
    if (t->options.on_input)
        t->options.on_input(t->options.ctx);
    transport_wake(t);
    if (ok)
        return;
    if (t->closing) {
        close_handles(t);
        return;
    }
    const char *tls_problem = t->tls ? tls_filter_problem(t->tls) : "";
    const char *why = tls_problem[0] ? tls_problem : conn_problem(t->conn);
    lose(t, why[0] ? why : peer_closed);
}

static void bytes_received(uv_stream_t *stream, ssize_t n, const uv_buf_t *bytes)
{
    struct transport *t = stream->data;
    if (n == 0 || t->lost || t->closed)
        return;
    if (n > 0) {
        take_input(t, (struct str){bytes->base, (size_t)n});
        return;
    }
    if (t->closing) {
        close_handles(t);
        return;
    }
    const char *problem = conn_problem(t->conn);
    const char *how = n == UV_EOF || n == UV_ECONNRESET ? peer_closed : uv_strerror((int)n);
    lose(t, problem[0] ? problem : how);
}

/* ---- life ---- */

static void handshake_over(uv_timer_t *timer)
{
    struct transport *t = timer->data;
    if (!conn_has_settings(t->conn))
        lose(t, "the peer did not complete the handshake in time");
}

struct transport *transport_new(const struct transport_options *options)
{
    struct transport *t = malloc(sizeof *t);
    if (!t) {
        (void)fputs("terrane: out of memory\n", stderr);
        abort();
    }
    memset(t, 0, offsetof(struct transport, in));
    t->options = *options;
    t->plain = t->out = t->writing = BUF_INIT(OUT_MAX);
    t->conn = conn_new(&options->conn);
    if (options->tls)
        t->tls = tls_filter_new(options->tls);
    uv_loop_t *uv = loop_uv(options->loop);
    if (options->network == GRPC_UNIX)
        (void)uv_pipe_init(uv, &t->socket.pipe, 0);
    else
        (void)uv_tcp_init(uv, &t->socket.tcp);
    (void)uv_check_init(uv, &t->round_end);
    (void)uv_timer_init(uv, &t->timer);
    t->socket.handle.data = t->round_end.data = t->timer.data = t;
    t->n_open = 3;
    return t;
}

uv_stream_t *transport_stream(struct transport *t)
{
    return &t->socket.stream;
}

struct conn *transport_conn(struct transport *t)
{
    return t->conn;
}

bool transport_is_secure(const struct transport *t)
{
    return !t->tls || tls_filter_is_ready(t->tls);
}

void transport_start(struct transport *t)
{
    t->started = true;
    if (t->options.network == GRPC_TCP)
        (void)uv_tcp_nodelay(&t->socket.tcp, 1);
    (void)uv_check_start(&t->round_end, round_ended);
    if (t->options.handshake_ms > 0)
        (void)uv_timer_start(&t->timer, handshake_over, t->options.handshake_ms, 0);
    int error = uv_read_start(&t->socket.stream, give_memory, bytes_received);
    if (error < 0) {
        lose(t, uv_strerror(error));
        return;
    }
    if (t->tls && !tls_filter_receive(t->tls, STR_EMPTY, plain_received, t)) {
        lose(t, tls_filter_problem(t->tls));
        return;
    }
    transport_wake(t);
}
