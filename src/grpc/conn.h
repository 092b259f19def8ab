/*
 * The core: one HTTP/2 connection that carries gRPC calls, for client or server, without I/O: bytes in, bytes out, and events.
 * Not thread-safe: a client's core is guarded by the client's lock, a server's core is used on the loop's thread only.
 *
 *     conn_receive(c, bytes)        bytes from the peer, in pieces of any size; it calls the events
 *     conn_pump(c, &out, limit)     bytes to send
 *
 * Every call ends once: with on_end, or when the user calls conn_reset() or conn_finish(), after which it gets no more events.
 * Events may call all functions except conn_receive, conn_pump, conn_lose and conn_free.
 */
#pragma once

#include "base/buf.h"
#include "grpc/message.h"
#include "grpc/status.h"

/*
 * Limits. The windows are the flow-control windows of HTTP/2. The stream window limits the memory of a call that nobody reads
 * from; credit is returned as bytes arrive, so messages much larger than a window are received without stalling.
 */
enum {
    CONN_STREAM_WINDOW = 4 << 20,
    CONN_WINDOW = 64 << 20,
    CONN_HEADERS_MAX = 64 << 10, /* size of one header list, as HTTP/2 counts it */
    CONN_METHOD_MAX = 1 << 10,
    CONN_PING_VOLUME = 32 << 10,    /* see conn_has_ping() */
    CONN_QUEUED_FRAMES_MAX = 20000, /* control frames that the peer has provoked but does not read */
};

struct conn;
struct conn_call;

struct conn_events {
    /* The peer's first SETTINGS have arrived: it speaks HTTP/2. */
    void (*on_settings)(void *ctx);
    /* Server: a call begins. Set its user with conn_call_set_user(). */
    void (*on_call)(void *ctx, struct conn_call *call);

    /* Events of one call, with its user as the argument; a call without a user gets none. */
    void (*on_message)(void *user, struct message *message); /* the user owns the message */
    void (*on_half_close)(void *user);                       /* server: no more messages will come */
    void (*on_sent)(void *user, size_t bytes); /* a message of this size was written and its memory is no longer used */
    /* Client: the result. Server: the client disconnected or cancelled. Memory of sent messages is no longer used. */
    void (*on_end)(void *user, enum grpc_status status, struct str message);
};

struct conn_options {
    bool server;
    bool tls; /* only sets the scheme of requests */
    size_t max_message;
    size_t max_calls; /* server: concurrent calls */
    const struct conn_events *events;
    void *ctx;
};

struct conn *conn_new(const struct conn_options *options);
/* Calls that still run are dropped without events; call conn_lose() first where that matters. NULL is accepted. */
void conn_free(struct conn *c);

/* False when the connection is unusable: conn_problem() says why; pump the rest of the output (a GOAWAY) and close. */
bool conn_receive(struct conn *c, struct str bytes);
/* Appends output to `out` until it holds about `limit` bytes or there is no more. False as above. */
bool conn_pump(struct conn *c, struct buf *out, size_t limit);
/* True when nothing will be read or written any more: either side sent GOAWAY and all calls have ended. */
bool conn_is_over(const struct conn *c);
/* True when the peer's SETTINGS have arrived. */
bool conn_has_settings(const struct conn *c);
/* True when new calls may begin, which a GOAWAY prevents. */
bool conn_is_open(const struct conn *c);
/* What went wrong, "" if nothing. Valid until the next call of a function here. */
const char *conn_problem(const struct conn *c);
/* The connection is lost or given up: every call ends with GRPC_UNAVAILABLE and this message, which is also sent to the peer. */
void conn_lose(struct conn *c, struct str why);
/* GOAWAY: running calls go on, new ones are refused. */
void conn_shut_down(struct conn *c);

/*
 * Client: true when a PING from the peer has not been answered yet. grpc-go servers send a PING, with a WINDOW_UPDATE, at the
 * first request after each answer, to estimate the bandwidth. If it were answered immediately, every call would cost one more
 * round of the loop. So while little is sent (CONN_PING_VOLUME), the answer to one PING is delayed until conn_answer_ping(),
 * which must be called within a second, or until the next PING arrives.
 */
bool conn_has_ping(const struct conn *c);
void conn_answer_ping(struct conn *c);

/* Sends a keepalive PING. grpc-go servers close connections that send these more often than every 5 minutes. */
void conn_ping(struct conn *c);

/* Client: begins a call. `timeout` is in ns, 0 for none. NULL when no call can begin any more. */
struct conn_call *conn_open(struct conn *c, struct str method, int64_t timeout, void *user);
void conn_call_set_user(struct conn_call *call, void *user);
struct str conn_call_method(const struct conn_call *call);
/* Server: the timeout that the client sent, in ns; 0: none. */
int64_t conn_call_timeout(const struct conn_call *call);

/* Queues a message. `owned` is freed after sending; if it is NULL, the bytes must stay valid until on_sent or the end of the
 * call. */
void conn_send(struct conn_call *call, struct str message, void *owned);
/* Client: no more messages. */
void conn_close_send(struct conn_call *call);
/* Server: sends the result after the queued messages. Ends the call: no more events. */
void conn_finish(struct conn_call *call, enum grpc_status status, struct str message);
/* Aborts the call: RST_STREAM with this HTTP/2 error code. Ends the call: no more events. */
void conn_reset(struct conn_call *call, uint32_t error_code);
/* Ends the call with this status, and calls on_end. Client: the stream is reset. Server: the status is sent to the peer. */
void conn_call_fail(struct conn_call *call, enum grpc_status status, const char *message);
/* While paused, the peer gets no flow-control credit for this call. */
void conn_pause(struct conn_call *call, bool paused);
