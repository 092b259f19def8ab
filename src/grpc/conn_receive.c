/* The receiving side: turns headers into calls, DATA into messages, and the many ways a stream can end into one result. */
#include "grpc/conn_private.h"
#include "grpc/header.h"

#include <stdio.h>

static struct conn_call *call_of(nghttp2_session *session, int32_t id)
{
    return nghttp2_session_get_stream_user_data(session, id);
}

static int headers_begin(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct conn *c = user;
    if (frame->hd.type != NGHTTP2_HEADERS)
        return 0;
    if (c->server && frame->headers.cat == NGHTTP2_HCAT_REQUEST)
        (void)nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, conn_call_new(c, frame->hd.stream_id));
    struct conn_call *call = call_of(session, frame->hd.stream_id);
    if (call)
        call->header_bytes = 0;
    return 0;
}

static void note_header(struct conn_call *call, struct str name, struct str value)
{
    int64_t number;
    if (str_eq(name, STR(":status"))) {
        call->http_status = str_to_i64(value, &number) ? (int)number : 0;
    } else if (str_eq(name, STR("content-type"))) {
        call->is_grpc = grpc_content_type_ok(value);
    } else if (str_eq(name, STR("grpc-status"))) {
        call->has_grpc_status = true;
        call->grpc_status = grpc_status_parse(value);
    } else if (str_eq(name, STR("grpc-message"))) {
        buf_clear(&call->grpc_message);
        buf_add(&call->grpc_message, value);
    } else if (str_eq(name, STR(":path"))) {
        buf_clear(&call->method);
        buf_add(&call->method, value);
    } else if (str_eq(name, STR(":method"))) {
        call->is_post = str_eq(value, STR("POST"));
    } else if (str_eq(name, STR("grpc-timeout"))) {
        /* A timeout of 0 has expired already. An invalid timeout is ignored. */
        call->timeout = !grpc_timeout_parse(value, &number) ? 0 : number > 0 ? number : 1;
    }
}

static int header_received(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_n,
                           const uint8_t *value, size_t value_n, uint8_t flags, void *user)
{
    (void)flags;
    (void)user;
    enum { HTTP2_OVERHEAD = 32 }; /* overhead per header in the size of a header list, as HTTP/2 defines it */
    struct conn_call *call = call_of(session, frame->hd.stream_id);
    if (!call || call->ended)
        return 0;
    call->header_bytes += name_n + value_n + HTTP2_OVERHEAD;
    if (call->header_bytes > CONN_HEADERS_MAX) {
        conn_call_end(call, GRPC_RESOURCE_EXHAUSTED, STR("the peer sent more headers than are accepted"));
        return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
    }
    note_header(call, (struct str){(const char *)name, name_n}, (struct str){(const char *)value, value_n});
    return 0;
}

/* Client: the stream has ended, with or without trailers. */
static void take_result(struct conn_call *call)
{
    if (call->has_grpc_status) {
        if (call->grpc_status == GRPC_OK && deframer_is_inside(&call->deframer)) {
            conn_call_end(call, GRPC_INTERNAL, STR("the server ended the call within a message"));
            return;
        }
        struct arena *a ARENA_AUTO = arena_new(NULL, 0);
        conn_call_end(call, call->grpc_status, grpc_message_decode(a, buf_str(&call->grpc_message)));
    } else if (call->http_status != 200) {
        char text[64];
        int n = snprintf(text, sizeof text, "the server answered with HTTP status %d", call->http_status);
        conn_call_end(call, grpc_status_of_http(call->http_status), (struct str){text, (size_t)n});
    } else {
        conn_call_end(call, GRPC_UNKNOWN, STR("the server ended the call without a status"));
    }
}

/* Client: the response is complete; the peer does not want what we have not sent yet. */
static void end_of_response(struct conn_call *call)
{
    bool was_sending = call->unsent > 0 || !call->closing;
    take_result(call);
    if (was_sending)
        (void)nghttp2_submit_rst_stream(call->conn->session, NGHTTP2_FLAG_NONE, call->id, NGHTTP2_CANCEL);
}

static void response_headers(struct conn_call *call, bool end)
{
    if (call->http_status >= 100 && call->http_status < 200)
        return; /* informational response: the final headers follow */
    if (end) {
        end_of_response(call);
        return;
    }
    if (call->http_status == 200 && call->is_grpc)
        return;
    if (call->http_status == 200)
        conn_call_fail(call, GRPC_UNKNOWN, "the server's answer is not gRPC: another content-type");
    else
        conn_call_fail(call, grpc_status_of_http(call->http_status), "the server answered with an HTTP error");
}

static void end_of_requests(struct conn_call *call)
{
    call->half_closed = true;
    if (deframer_is_inside(&call->deframer))
        conn_call_fail(call, GRPC_INTERNAL, "the client ended the call within a message");
    else if (call->user)
        call->conn->events->on_half_close(call->user);
}

static void request_headers(struct conn_call *call, bool end)
{
    struct conn *c = call->conn;
    call->half_closed = end;
    if (!call->is_post) {
        conn_call_refuse(call, "405");
    } else if (!call->is_grpc) {
        conn_call_refuse(call, "415");
    } else if (!buf_ok(&call->method) || call->method.n < 2 || call->method.p[0] != '/') {
        conn_call_fail(call, GRPC_UNIMPLEMENTED, "malformed method name");
    } else {
        c->events->on_call(c->ctx, call);
        if (end)
            end_of_requests(call);
    }
}

static void settings_received(struct conn *c)
{
    if (c->have_settings)
        return;
    c->have_settings = true;
    c->events->on_settings(c->ctx);
}

static void goaway_received(struct conn *c, const nghttp2_goaway *frame)
{
    c->going_away = true;
    if (frame->error_code == NGHTTP2_NO_ERROR || c->problem[0] != '\0')
        return;
    enum { SHOWN = 100 };
    int n = frame->opaque_data_len < SHOWN ? (int)frame->opaque_data_len : SHOWN;
    conn_set_problem(c, "the peer ended the connection: %s%s%.*s", nghttp2_http2_strerror(frame->error_code), n > 0 ? ": " : "",
                     n, n > 0 ? (const char *)frame->opaque_data : "");
}

static void ping_received(struct conn *c, const uint8_t data[8])
{
    if (c->has_ping)
        conn_answer_ping(c);
    c->has_ping = true;
    memcpy(c->ping, data, sizeof c->ping);
    if (c->sent_since_ping > CONN_PING_VOLUME)
        conn_answer_ping(c);
}

static int frame_received(nghttp2_session *session, const nghttp2_frame *frame, void *user)
{
    struct conn *c = user;
    bool end = frame->hd.flags & NGHTTP2_FLAG_END_STREAM;
    struct conn_call *call = call_of(session, frame->hd.stream_id);
    switch (frame->hd.type) {
    case NGHTTP2_SETTINGS:
        if (!(frame->hd.flags & NGHTTP2_FLAG_ACK))
            settings_received(c);
        break;
    case NGHTTP2_GOAWAY:
        goaway_received(c, &frame->goaway);
        break;
    case NGHTTP2_PING:
        if (!c->server && !(frame->hd.flags & NGHTTP2_FLAG_ACK))
            ping_received(c, frame->ping.opaque_data);
        break;
    case NGHTTP2_HEADERS:
        if (!call)
            break;
        if (call->ended)
            call->half_closed = call->half_closed || end;
        else if (!c->server)
            response_headers(call, end);
        else if (frame->headers.cat == NGHTTP2_HCAT_REQUEST)
            request_headers(call, end);
        else if (end)
            end_of_requests(call); /* trailers of a request have no meaning in gRPC */
        break;
    case NGHTTP2_DATA:
        if (!call || !end)
            break;
        if (call->ended)
            call->half_closed = true;
        else if (c->server)
            end_of_requests(call);
        else
            end_of_response(call);
        break;
    default:
        break;
    }
    return 0;
}

static void take_bytes(struct conn_call *call, struct str bytes)
{
    struct conn *c = call->conn;
    for (;;) {
        struct message *message;
        switch (deframer_feed(&call->deframer, &bytes, &message)) {
        case DEFRAME_MORE:
            return;
        case DEFRAME_MESSAGE:
            if (call->user)
                c->events->on_message(call->user, message);
            else
                message_free(message);
            if (call->ended)
                return;
            break;
        case DEFRAME_TOO_LONG:
            conn_call_fail(call, GRPC_RESOURCE_EXHAUSTED, "a message is larger than the limit");
            return;
        case DEFRAME_COMPRESSED:
            conn_call_fail(call, c->server ? GRPC_UNIMPLEMENTED : GRPC_INTERNAL,
                           "a message is compressed, which was not offered");
            return;
        case DEFRAME_BAD_FLAG:
            conn_call_fail(call, GRPC_INTERNAL, "the bytes are not gRPC messages");
            return;
        }
    }
}

static int data_received(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data, size_t n, void *user)
{
    (void)flags;
    (void)user;
    /* The connection's credit is returned immediately: a call that is not read must not block the others. */
    (void)nghttp2_session_consume_connection(session, n);
    struct conn_call *call = call_of(session, id);
    if (!call || call->ended)
        return 0;
    take_bytes(call, (struct str){(const char *)data, n});
    if (call->ended)
        return 0;
    if (call->paused)
        call->uncredited += n;
    else
        (void)nghttp2_session_consume_stream(session, id, n);
    return 0;
}

static int stream_closed(nghttp2_session *session, int32_t id, uint32_t error_code, void *user)
{
    struct conn *c = user;
    struct conn_call *call = call_of(session, id);
    if (!call)
        return 0;
    (void)nghttp2_session_set_stream_user_data(session, id, NULL);
    char text[96];
    int n = snprintf(text, sizeof text, "the %s reset the call: %s", c->server ? "client" : "server",
                     nghttp2_http2_strerror(error_code));
    conn_call_end(call, grpc_status_of_reset(error_code), (struct str){text, (size_t)n});
    conn_call_free(call);
    return 0;
}

static int library_error(nghttp2_session *session, int code, const char *text, size_t n, void *user)
{
    (void)session;
    struct conn *c = user;
    /* An invalid header fails only its call, not the connection; and the message would quote the header. */
    if (code != NGHTTP2_ERR_HTTP_HEADER && code != NGHTTP2_ERR_HTTP_MESSAGING && c->problem[0] == '\0')
        conn_set_problem(c, "%.*s", (int)n, text);
    return 0;
}

static int invalid_frame(nghttp2_session *session, const nghttp2_frame *frame, int code, void *user)
{
    (void)session;
    struct conn *c = user;
    /* An error on a stream fails only that call. */
    if (frame->hd.stream_id == 0 && c->problem[0] == '\0')
        conn_set_problem(c, "the peer violated the HTTP/2 protocol: %s", nghttp2_strerror(code));
    return 0;
}

void conn_set_receive_callbacks(nghttp2_session_callbacks *callbacks)
{
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, headers_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, header_received);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frame_received);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, data_received);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, stream_closed);
    nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(callbacks, invalid_frame);
    nghttp2_session_callbacks_set_error_callback2(callbacks, library_error);
}
