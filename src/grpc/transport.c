/*
 * Output: the wire's output is written immediately; what the socket does not accept stays in the wire and is written by one
 * uv_write at a time.
 *
 * End: lose() and transport_close() both lead to close_handles(), which runs once. `n_open` handles have to close before
 * on_closed is called and the memory is freed.
 */
#include "grpc/transport.h"

#include "base/must.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

enum {
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
    uv_timer_t timer; /* time limit of the handshake, later of the final output */
    int n_open;
    struct wire *wire;
    struct conn *conn; /* the wire's */

    bool started;
    bool dirty;   /* the core may have output */
    bool lost;    /* no more input, calls are ended */
    bool closing; /* close when all output is written */
    bool said_goodbye;
    bool closed; /* handles are closing */

    uv_write_t write;
    size_t n_writing; /* pulled bytes that `write` is writing; 0: it is not in use */
    char in[WIRE_IN];
};

static void flush(struct transport *t);

static void handle_closed(uv_handle_t *handle)
{
    struct transport *t = handle->data;
    if (--t->n_open > 0)
        return;
    struct transport_options options = t->options;
    wire_free(t->wire);
    free(t);
    options.on_closed(options.ctx); /* called last: the owner may free what we used, such as the TLS context */
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

/* Ends all calls now; remaining output (responses of finished calls, GOAWAY) gets a moment to be written. */
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
    /* The owner is called first: a caller whose call ends below must see that the connection is lost. */
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

static void no_last_words(uv_timer_t *timer)
{
    lose(timer->data, WIRE_PEER_CLOSED);
}

/* The peer accepts no more output. What it sent before may contain the reason (an alert, a GOAWAY), so the input is read to its
 * end. */
static void stop_writing(struct transport *t)
{
    wire_mute(t->wire);
    if (t->closing)
        close_handles(t);
    else
        (void)uv_timer_start(&t->timer, no_last_words, LINGER_MS, 0);
}

static void written(uv_write_t *request, int status)
{
    struct transport *t = request->data;
    wire_pulled(t->wire, t->n_writing);
    t->n_writing = 0;
    if (t->closed)
        return;
    if (status < 0)
        stop_writing(t);
    else
        flush(t);
}

/* Writes the rest of the pulled bytes, which stay in place. */
static void write_rest(struct transport *t, struct str rest)
{
    t->write.data = t;
    uv_buf_t piece = uv_buf_init((char *)rest.p, (unsigned)rest.n);
    if (uv_write(&t->write, &t->socket.stream, &piece, 1, written) == 0)
        t->n_writing = rest.n;
    else
        stop_writing(t);
}

/* Writes the available output until the socket accepts no more. */
static void write_output(struct transport *t)
{
    struct str out;
    while (t->n_writing == 0 && (out = wire_pull(t->wire)).n > 0) {
        uv_buf_t all = uv_buf_init((char *)out.p, (unsigned)out.n);
        int n = uv_try_write(&t->socket.stream, &all, 1);
        if (n < 0 && n != UV_EAGAIN) {
            stop_writing(t);
            return;
        }
        size_t done = n > 0 ? (size_t)n : 0;
        wire_pulled(t->wire, done);
        if (done < out.n)
            write_rest(t, str_slice(out, done, out.n));
    }
}

static void say_goodbye(struct transport *t)
{
    t->said_goodbye = true;
    wire_say_goodbye(t->wire);
    flush(t);
}

static void flush(struct transport *t)
{
    if (t->closed || !t->started)
        return;
    t->dirty = false;
    write_output(t);
    if (wire_is_mute(t->wire)) {
        if (t->closing)
            close_handles(t);
        return;
    }
    if (t->n_writing > 0 || (!t->lost && !wire_is_over(t->wire)))
        return;
    if (!t->closing)
        lose(t, wire_reason(t->wire, "the peer has shut down"));
    else if (!t->said_goodbye)
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

static void take_input(struct transport *t, struct str bytes)
{
    bool ok = wire_feed(t->wire, bytes);
    if (t->options.on_input)
        t->options.on_input(t->options.ctx);
    transport_wake(t);
    if (ok)
        return;
    if (t->closing) {
        close_handles(t);
        return;
    }
    lose(t, wire_reason(t->wire, WIRE_PEER_CLOSED));
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
    lose(t, wire_read_failure(t->wire, n == UV_EOF ? 0 : -(int)n));
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
    struct transport *t = must(malloc(sizeof *t));
    memset(t, 0, offsetof(struct transport, in));
    t->options = *options;
    t->wire = wire_new(options->tls, &options->conn);
    t->conn = wire_conn(t->wire);
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
    if (!wire_start(t->wire)) {
        lose(t, wire_reason(t->wire, WIRE_PEER_CLOSED));
        return;
    }
    transport_wake(t);
}
