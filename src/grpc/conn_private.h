/* Shared by conn.c (life of a connection, sending) and conn_receive.c (receiving). */
#pragma once

#include "grpc/conn.h"

#include <nghttp2/nghttp2.h>

/* An outgoing message; `sent` counts the prefix too. */
struct outgoing {
    struct outgoing *next;
    struct str data;
    void *owned;
    size_t sent;
};

/*
 * One stream. It exists from HEADERS to nghttp2's on_stream_close. `user` is set only until the call has ended for the user,
 * which may be earlier (the peer answered before we had sent everything, or we gave up).
 */
struct conn_call {
    struct conn *conn;
    struct conn_call *prev, *next;
    int32_t id;
    void *user;

    /* Sending. `deferred`: nghttp2 waits for nghttp2_session_resume_data(). */
    struct outgoing *head, *tail;
    size_t unsent; /* bytes of the queue, prefixes included */
    bool started;  /* server: response headers are submitted */
    bool closing;  /* END_STREAM or trailers follow the queue */
    bool deferred;
    enum grpc_status result; /* server */
    struct buf result_text;  /* encoded */

    /* Receiving. */
    struct deframer deframer;
    bool half_closed; /* the peer will send no more messages */
    bool ended;       /* for the user */
    bool paused;
    size_t uncredited; /* bytes received while paused */

    /* The peer's headers, then its trailers. */
    size_t header_bytes;
    int http_status;
    bool is_post, is_grpc, has_grpc_status;
    enum grpc_status grpc_status;
    struct buf grpc_message; /* encoded */
    struct buf method;
    int64_t timeout; /* ns, 0: none */
};

enum { CONN_PROBLEM = 256 };

struct conn {
    nghttp2_session *session;
    bool server, tls;
    bool have_settings;
    bool going_away; /* a GOAWAY was received or sent */
    bool broken;
    size_t max_message;
    const struct conn_events *events;
    void *ctx;
    struct conn_call *calls;
    bool has_ping;
    uint8_t ping[8];
    size_t sent_since_ping; /* bytes of messages since the last answer */
    struct buf *out;        /* during conn_pump */
    size_t out_limit;
    char problem[CONN_PROBLEM];
};

void conn_set_problem(struct conn *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct conn_call *conn_call_new(struct conn *c, int32_t id);
/* Also removes it from the connection's list. */
void conn_call_free(struct conn_call *call);

/* Ends the call for its user with on_end; queued messages are dropped. */
void conn_call_end(struct conn_call *call, enum grpc_status status, struct str message);
/* Server: answers a request that is not gRPC with just an HTTP status. */
void conn_call_refuse(struct conn_call *call, const char *http_status);

/* Registers the receiving side of the callbacks. */
void conn_set_receive_callbacks(nghttp2_session_callbacks *callbacks);
