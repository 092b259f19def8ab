/*
 * Life of a connection and its calls, and the sending side.
 *
 * Outgoing messages wait in their call's queue and are copied once, into the output, when nghttp2 has a window for them: the
 * data source announces a length (NO_COPY), send_data() moves the bytes. Submitting is allowed at any time; writing happens
 * in conn_pump() only.
 */
#include "base/must.h"
#include "grpc/conn_private.h"
#include "grpc/header.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* nghttp2 reports lack of memory as an error; as everywhere else, it aborts the process. */
static int check(int result)
{
    if (result == NGHTTP2_ERR_NOMEM)
        (void)must(NULL);
    return result;
}

void conn_set_problem(struct conn *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(c->problem, sizeof c->problem, format, args);
    va_end(args);
    /* The text may quote the peer, so it is made printable. */
    for (char *p = c->problem; *p; p++)
        if ((unsigned char)*p < ' ' || (unsigned char)*p > '~')
            *p = '?';
}

const char *conn_problem(const struct conn *c)
{
    return c->problem;
}

/* ---- calls ---- */

struct conn_call *conn_call_new(struct conn *c, int32_t id)
{
    struct conn_call *call = must(calloc(1, sizeof *call));
    call->conn = c;
    call->id = id;
    call->deframer.max_message = c->max_message;
    call->grpc_message = BUF_INIT(CONN_HEADERS_MAX);
    call->method = BUF_INIT(CONN_METHOD_MAX);
    call->result_text = BUF_INIT(GRPC_MESSAGE_SENT_MAX);
    call->next = c->calls;
    if (call->next)
        call->next->prev = call;
    c->calls = call;
    return call;
}

static void drop_first(struct conn_call *call)
{
    struct outgoing *o = call->head;
    call->head = o->next;
    if (!call->head)
        call->tail = NULL;
    call->unsent -= MESSAGE_PREFIX + o->data.n - o->sent;
    free(o->owned);
    free(o);
}

static void drop_queue(struct conn_call *call)
{
    while (call->head)
        drop_first(call);
}

void conn_call_free(struct conn_call *call)
{
    struct conn *c = call->conn;
    if (call->prev)
        call->prev->next = call->next;
    else
        c->calls = call->next;
    if (call->next)
        call->next->prev = call->prev;
    drop_queue(call);
    deframer_done(&call->deframer);
    buf_free(&call->grpc_message);
    buf_free(&call->method);
    buf_free(&call->result_text);
    free(call);
}

void conn_call_set_user(struct conn_call *call, void *user)
{
    call->user = user;
}

struct str conn_call_method(const struct conn_call *call)
{
    return buf_str(&call->method);
}

int64_t conn_call_timeout(const struct conn_call *call)
{
    return call->timeout;
}

void conn_call_end(struct conn_call *call, enum grpc_status status, struct str message)
{
    if (call->ended)
        return;
    call->ended = true;
    drop_queue(call);
    deframer_done(&call->deframer);
    void *user = call->user;
    call->user = NULL;
    if (user)
        call->conn->events->on_end(user, status, message);
}

/* ---- sending ---- */

/* Lets nghttp2 send DATA when there is something to send. */
static void wake(struct conn_call *call)
{
    if (!call->deferred)
        return;
    call->deferred = false;
    (void)check(nghttp2_session_resume_data(call->conn->session, call->id));
}

#define HEADER(header, text)                                                                                                     \
    ((nghttp2_nv){(uint8_t *)(header), (uint8_t *)(text), sizeof(header) - 1, sizeof(text) - 1,                                  \
                  NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE})

static nghttp2_nv header_value(const char *name, struct str value)
{
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value.p, strlen(name), value.n, NGHTTP2_NV_FLAG_NO_COPY_NAME};
}

/* Fills in grpc-status and grpc-message; returns how many headers. */
static size_t result_headers(const struct conn_call *call, char status_text[12], nghttp2_nv nv[2])
{
    int n = snprintf(status_text, 12, "%d", (int)call->result);
    nv[0] = header_value("grpc-status", (struct str){status_text, (size_t)n});
    nv[1] = header_value("grpc-message", buf_str(&call->result_text));
    return call->result_text.n > 0 ? 2 : 1;
}

static void submit_trailers(struct conn_call *call)
{
    char status_text[12];
    nghttp2_nv nv[2];
    size_t n = result_headers(call, status_text, nv);
    (void)check(nghttp2_submit_trailer(call->conn->session, call->id, nv, n));
}

/* Resets the stream after the server's END_STREAM when the client has not sent its own: further messages would not be read. */
static void stop_client(struct conn_call *call)
{
    if (!call->half_closed)
        (void)check(nghttp2_submit_rst_stream(call->conn->session, NGHTTP2_FLAG_NONE, call->id, NGHTTP2_NO_ERROR));
}

static ssize_t read_source(nghttp2_session *session, int32_t id, uint8_t *to, size_t length, uint32_t *flags,
                           nghttp2_data_source *source, void *user)
{
    (void)session;
    (void)id;
    (void)to;
    (void)user;
    struct conn_call *call = source->ptr;
    size_t n = call->unsent < length ? call->unsent : length;
    if (n == 0 && !call->closing) {
        call->deferred = true;
        return NGHTTP2_ERR_DEFERRED;
    }
    if (n > 0)
        *flags |= NGHTTP2_DATA_FLAG_NO_COPY;
    if (n == call->unsent && call->closing) {
        *flags |= NGHTTP2_DATA_FLAG_EOF;
        if (call->conn->server) {
            *flags |= NGHTTP2_DATA_FLAG_NO_END_STREAM;
            submit_trailers(call);
        }
    }
    return (ssize_t)n;
}

/* Copies up to n bytes of the message, including the prefix, to the output; returns how many. */
static size_t move_bytes(struct outgoing *o, size_t n, struct buf *out)
{
    size_t before = o->sent;
    if (o->sent < MESSAGE_PREFIX) {
        unsigned char prefix[MESSAGE_PREFIX];
        message_prefix(o->data.n, prefix);
        size_t part = MESSAGE_PREFIX - o->sent < n ? MESSAGE_PREFIX - o->sent : n;
        buf_add(out, (struct str){(const char *)prefix + o->sent, part});
        o->sent += part;
        n -= part;
    }
    if (o->sent >= MESSAGE_PREFIX) {
        size_t left = MESSAGE_PREFIX + o->data.n - o->sent;
        size_t part = left < n ? left : n;
        buf_add(out, (struct str){o->data.p + (o->sent - MESSAGE_PREFIX), part});
        o->sent += part;
    }
    return o->sent - before;
}

static int send_data(nghttp2_session *session, nghttp2_frame *frame, const uint8_t *head, size_t length,
                     nghttp2_data_source *source, void *user)
{
    (void)session;
    (void)frame;
    enum { FRAME_HEAD = 9 };
    struct conn *c = user;
    struct conn_call *call = source->ptr;
    assert(length <= call->unsent);
    c->sent_since_ping += length;
    buf_add(c->out, (struct str){(const char *)head, FRAME_HEAD});
    while (length > 0) {
        struct outgoing *o = call->head;
        size_t moved = move_bytes(o, length, c->out);
        length -= moved;
        call->unsent -= moved;
        if (o->sent == MESSAGE_PREFIX + o->data.n) {
            size_t bytes = o->data.n;
            drop_first(call);
            if (call->user)
                c->events->on_sent(call->user, bytes);
        }
    }
    return c->out->n >= c->out_limit ? NGHTTP2_ERR_PAUSE : 0;
}

static nghttp2_data_provider source_of(struct conn_call *call)
{
    return (nghttp2_data_provider){.source = {.ptr = call}, .read_callback = read_source};
}

static void start_response(struct conn_call *call)
{
    if (call->started)
        return;
    call->started = true;
    nghttp2_nv nv[] = {HEADER(":status", "200"), HEADER("content-type", "application/grpc")};
    nghttp2_data_provider source = source_of(call);
    (void)check(nghttp2_submit_response(call->conn->session, call->id, nv, sizeof nv / sizeof nv[0], &source));
}

void conn_send(struct conn_call *call, struct str message, void *owned)
{
    if (call->ended || call->closing || message.n > UINT32_MAX) {
        free(owned);
        return;
    }
    struct outgoing *o = must(malloc(sizeof *o));
    *o = (struct outgoing){.data = message, .owned = owned};
    if (call->tail)
        call->tail->next = o;
    else
        call->head = o;
    call->tail = o;
    call->unsent += MESSAGE_PREFIX + message.n;
    if (call->conn->server)
        start_response(call);
    wake(call);
}

void conn_close_send(struct conn_call *call)
{
    if (call->ended)
        return;
    call->closing = true;
    wake(call);
}

struct conn_call *conn_open(struct conn *c, struct str method, int64_t timeout, void *user)
{
    if (!conn_is_open(c))
        return NULL;
    nghttp2_nv nv[] = {
        HEADER(":method", "POST"),
        c->tls ? HEADER(":scheme", "https") : HEADER(":scheme", "http"),
        header_value(":path", method),
        HEADER(":authority", "localhost"),
        HEADER("te", "trailers"),
        HEADER("content-type", "application/grpc"),
        HEADER("user-agent", "terrane/" TERRANE_VERSION),
        {0},
    };
    size_t n = sizeof nv / sizeof nv[0] - 1;
    char timeout_text[GRPC_TIMEOUT_TEXT];
    if (timeout > 0) {
        grpc_timeout_format(timeout, timeout_text);
        nv[n++] = header_value("grpc-timeout", str_of(timeout_text));
    }
    struct conn_call *call = conn_call_new(c, 0);
    nghttp2_data_provider source = source_of(call);
    call->id = check(nghttp2_submit_request(c->session, NULL, nv, n, &source, call));
    if (call->id < 0) {
        conn_call_free(call);
        return NULL;
    }
    call->user = user;
    return call;
}

static void set_result(struct conn_call *call, enum grpc_status status, struct str message)
{
    call->result = status;
    grpc_message_encode(&call->result_text, message);
    call->closing = true;
}

void conn_finish(struct conn_call *call, enum grpc_status status, struct str message)
{
    assert(call->conn->server);
    if (call->ended)
        return;
    call->ended = true;
    call->user = NULL;
    set_result(call, status, message);
    if (call->started) {
        wake(call);
        return;
    }
    /* Nothing was sent yet: headers and trailers are sent as one block. */
    char status_text[12];
    nghttp2_nv nv[4] = {HEADER(":status", "200"), HEADER("content-type", "application/grpc")};
    size_t n = result_headers(call, status_text, nv + 2);
    call->started = true;
    (void)check(nghttp2_submit_response(call->conn->session, call->id, nv, 2 + n, NULL));
}

void conn_reset(struct conn_call *call, uint32_t error_code)
{
    if (call->ended)
        return;
    call->user = NULL;
    conn_call_end(call, GRPC_CANCELLED, STR_EMPTY);
    (void)check(nghttp2_submit_rst_stream(call->conn->session, NGHTTP2_FLAG_NONE, call->id, error_code));
}

void conn_call_fail(struct conn_call *call, enum grpc_status status, const char *message)
{
    struct conn *c = call->conn;
    if (call->ended)
        return;
    conn_call_end(call, status, str_of(message));
    if (!c->server) {
        (void)check(nghttp2_submit_rst_stream(c->session, NGHTTP2_FLAG_NONE, call->id, NGHTTP2_CANCEL));
        return;
    }
    call->ended = false; /* only to send the answer: the user has had on_end already */
    conn_finish(call, status, str_of(message));
}

void conn_call_refuse(struct conn_call *call, const char *http_status)
{
    call->ended = call->started = true;
    nghttp2_nv nv[] = {header_value(":status", str_of(http_status))};
    (void)check(nghttp2_submit_response(call->conn->session, call->id, nv, 1, NULL));
}

void conn_pause(struct conn_call *call, bool paused)
{
    call->paused = paused;
    if (paused || call->uncredited == 0)
        return;
    (void)check(nghttp2_session_consume_stream(call->conn->session, call->id, call->uncredited));
    call->uncredited = 0;
}

/* Server: after END_STREAM was sent, a client that still sends is told to stop. */
static int frame_sent(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct conn *c = user;
    if (c->server && frame->hd.type == NGHTTP2_HEADERS && (frame->hd.flags & NGHTTP2_FLAG_END_STREAM)) {
        struct conn_call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
        if (call)
            stop_client(call);
    }
    return 0;
}

/* ---- the connection ---- */

static void submit_settings(struct conn *c, size_t max_calls)
{
    nghttp2_settings_entry entries[] = {
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, CONN_STREAM_WINDOW},
        {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, CONN_HEADERS_MAX},
        {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, c->server ? (uint32_t)max_calls : 0},
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
    };
    /* Only a client sends the last setting, which disables server push. */
    size_t n = sizeof entries / sizeof entries[0] - (c->server ? 1 : 0);
    (void)check(nghttp2_submit_settings(c->session, NGHTTP2_FLAG_NONE, entries, n));
    (void)check(nghttp2_session_set_local_window_size(c->session, NGHTTP2_FLAG_NONE, 0, CONN_WINDOW));
}

struct conn *conn_new(const struct conn_options *options)
{
    struct conn *c = must(calloc(1, sizeof *c));
    c->server = options->server;
    c->tls = options->tls;
    c->max_message = options->max_message;
    c->events = options->events;
    c->ctx = options->ctx;

    nghttp2_session_callbacks *callbacks;
    (void)check(nghttp2_session_callbacks_new(&callbacks));
    nghttp2_session_callbacks_set_send_data_callback(callbacks, send_data);
    nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, frame_sent);
    conn_set_receive_callbacks(callbacks);
    nghttp2_option *option;
    (void)check(nghttp2_option_new(&option));
    nghttp2_option_set_no_auto_window_update(option, 1); /* we return flow-control credit ourselves: see conn_pause() */
    nghttp2_option_set_no_closed_streams(option, 1);
    nghttp2_option_set_no_auto_ping_ack(option, !c->server);
    nghttp2_option_set_max_reserved_remote_streams(option, 0);

    (void)check(c->server ? nghttp2_session_server_new2(&c->session, callbacks, c, option)
                          : nghttp2_session_client_new2(&c->session, callbacks, c, option));
    nghttp2_option_del(option);
    nghttp2_session_callbacks_del(callbacks);
    submit_settings(c, options->max_calls);
    return c;
}

void conn_free(struct conn *c)
{
    if (!c)
        return;
    nghttp2_session_del(c->session);
    for (struct conn_call *call = c->calls, *next; call; call = next) {
        next = call->next;
        conn_call_free(call);
    }
    free(c);
}

/* Only the first problem is kept: it is the cause, later ones are consequences. */
static bool break_down(struct conn *c, const char *what)
{
    c->broken = true;
    if (c->problem[0] == '\0')
        conn_set_problem(c, "%s", what);
    return false;
}

/* nghttp2 answers a protocol violation with its own GOAWAY, and reads nothing after sending it. */
static bool check_terms(struct conn *c)
{
    if (c->going_away || nghttp2_session_want_read(c->session))
        return true;
    return break_down(c, "the peer violated the HTTP/2 protocol");
}

bool conn_receive(struct conn *c, struct str bytes)
{
    if (c->broken)
        return false;
    ssize_t n = nghttp2_session_mem_recv(c->session, (const uint8_t *)bytes.p, bytes.n);
    if (n < 0) {
        (void)check((int)n);
        return break_down(c, n == NGHTTP2_ERR_BAD_CLIENT_MAGIC ? "the peer does not speak HTTP/2" : nghttp2_strerror((int)n));
    }
    if (nghttp2_session_get_outbound_queue_size(c->session) > CONN_QUEUED_FRAMES_MAX)
        return break_down(c, "the peer provokes answers and does not read them");
    return check_terms(c);
}

bool conn_pump(struct conn *c, struct buf *out, size_t limit)
{
    c->out = out;
    c->out_limit = limit;
    ssize_t n = 0;
    while (out->n < limit) {
        const uint8_t *bytes;
        size_t before = out->n;
        n = nghttp2_session_mem_send(c->session, &bytes);
        if (n > 0)
            buf_add(out, (struct str){(const char *)bytes, (size_t)n});
        if (n < 0 || out->n == before)
            break;
    }
    c->out = NULL;
    if (n >= 0 && buf_ok(out))
        return check_terms(c);
    (void)check((int)n);
    return break_down(c, n < 0 ? nghttp2_strerror((int)n) : "too much output");
}

bool conn_is_over(const struct conn *c)
{
    return !nghttp2_session_want_read(c->session) && !nghttp2_session_want_write(c->session);
}

bool conn_has_settings(const struct conn *c)
{
    return c->have_settings;
}

bool conn_has_ping(const struct conn *c)
{
    return c->has_ping;
}

void conn_answer_ping(struct conn *c)
{
    if (c->has_ping)
        (void)check(nghttp2_submit_ping(c->session, NGHTTP2_FLAG_ACK, c->ping));
    c->has_ping = false;
    c->sent_since_ping = 0;
}

void conn_ping(struct conn *c)
{
    (void)check(nghttp2_submit_ping(c->session, NGHTTP2_FLAG_NONE, NULL));
}

bool conn_is_open(const struct conn *c)
{
    return !c->going_away && !c->broken;
}

void conn_lose(struct conn *c, struct str why)
{
    c->going_away = true;
    char text[CONN_PROBLEM];
    (void)snprintf(text, sizeof text, STR_FMT, STR_ARG(why));
    for (struct conn_call *call = c->calls; call; call = call->next)
        conn_call_fail(call, GRPC_UNAVAILABLE, text);
}

void conn_shut_down(struct conn *c)
{
    if (c->going_away)
        return;
    c->going_away = true;
    int32_t last = nghttp2_session_get_last_proc_stream_id(c->session);
    (void)check(nghttp2_submit_goaway(c->session, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR, NULL, 0));
}
