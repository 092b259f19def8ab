/*
 * The core: one HTTP/2 connection that carries gRPC calls, client or server side, without any I/O. Bytes in, bytes out,
 * events between. Not thread-safe: a client's is guarded by the client's lock, a server's belongs to the
 * loop's thread.
 *
 *     conn_receive(c, bytes)        the peer's bytes, cut anywhere; events are called from within
 *     conn_pump(c, &out, limit)     what is to be sent
 *
 * Every call ends once: by on_end, or by the user's own conn_reset() or conn_finish(), after which no event mentions it.
 * Within events all functions may be called but conn_receive, conn_pump, conn_lose and conn_free.
 */
#pragma once

#include "base/buf.h"
#include "grpc/message.h"
#include "grpc/status.h"

/*
 * Limits. The windows are what a peer may send unasked: a stream's bounds the memory of a call nobody reads from; credit is
 * given back as bytes arrive, so messages far larger than a window pass without stopping.
 */
enum {
    CONN_STREAM_WINDOW = 4 << 20,
    CONN_WINDOW = 64 << 20,
    CONN_HEADERS_MAX = 64 << 10, /* of one header list, as HTTP/2 counts */
    CONN_METHOD_MAX = 1 << 10,
    CONN_PING_VOLUME = 32 << 10,    /* see conn_has_ping() */
    CONN_QUEUED_FRAMES_MAX = 20000, /* control frames that a peer provoked and does not read */
};

struct conn;
struct conn_call;

struct conn_events {
    /* The peer's first SETTINGS are here: it speaks HTTP/2. */
    void (*on_settings)(void *ctx);
    /* Server: a call begins. Give it a user with conn_call_set_user(). */
    void (*on_call)(void *ctx, struct conn_call *call);

    /* Of one call, with its user; none for a call without one. */
    void (*on_message)(void *user, struct message *message); /* the user's from then on */
    void (*on_half_close)(void *user);                       /* server: no more messages will come */
    void (*on_sent)(void *user, size_t bytes);               /* a message of that size is written, its memory no longer used */
    /* Client: the result. Server: the client has gone or cancelled. Nothing sent is in use any more. */
    void (*on_end)(void *user, enum grpc_status status, struct str message);
};

struct conn_options {
    bool server;
    bool tls; /* only names the scheme in requests */
    size_t max_message;
    size_t max_calls; /* server: at once */
    const struct conn_events *events;
    void *ctx;
};

struct conn *conn_new(const struct conn_options *options);
/* Calls that still run are forgotten without events; conn_lose() first where that matters. NULL is accepted. */
void conn_free(struct conn *c);

/* False: the connection is unusable, conn_problem() says why; pump what is left to send (a GOAWAY) and close. */
bool conn_receive(struct conn *c, struct str bytes);
/* Appends to `out` until it holds about `limit` bytes or there is nothing more to say. False as above. */
bool conn_pump(struct conn *c, struct buf *out, size_t limit);
/* Nothing will be read or written any more: the peer or we said GOAWAY and all calls have ended. */
bool conn_is_over(const struct conn *c);
/* Have the peer's SETTINGS come? */
bool conn_has_settings(const struct conn *c);
/* May new calls begin? No after a GOAWAY. */
bool conn_is_open(const struct conn *c);
/* Words for what went wrong, "" if nothing. Valid until the next call of a function here. */
const char *conn_problem(const struct conn *c);
/* The connection is lost or given up: every call ends with GRPC_UNAVAILABLE and this message, which the peer is told too. */
void conn_lose(struct conn *c, struct str why);
/* GOAWAY: running calls go on, new ones are refused. */
void conn_shut_down(struct conn *c);

/*
 * Client: does a PING wait for its answer? Servers of grpc-go send one, with a WINDOW_UPDATE, at the first request after each
 * answer, to estimate the bandwidth. Answered at once, every call would cost one more round of the loop. So while little is sent
 * (CONN_PING_VOLUME) one PING waits until conn_answer_ping(), which is due within a second, or until the next PING comes.
 */
bool conn_has_ping(const struct conn *c);
void conn_answer_ping(struct conn *c);

/* Asks the peer for a sign of life. Servers of grpc-go end connections on which these come more often than every 5 minutes. */
void conn_ping(struct conn *c);

/* Client. `timeout` in ns, 0 for none. NULL when no call can begin any more. */
struct conn_call *conn_open(struct conn *c, struct str method, int64_t timeout, void *user);
void conn_call_set_user(struct conn_call *call, void *user);
struct str conn_call_method(const struct conn_call *call);
/* Server: what the client gives it, in ns; 0: no limit. */
int64_t conn_call_timeout(const struct conn_call *call);

/* Queues a message. `owned` is freed when it is sent, or NULL: then the bytes must stay until on_sent or the end. */
void conn_send(struct conn_call *call, struct str message, void *owned);
/* Client: no more messages. */
void conn_close_send(struct conn_call *call);
/* Server: the result, after what is queued. Ends the call: no more events. */
void conn_finish(struct conn_call *call, enum grpc_status status, struct str message);
/* Gives the call up: RST_STREAM with this HTTP/2 error code. Ends the call: no more events. */
void conn_reset(struct conn_call *call, uint32_t error_code);
/* The call ends with this status, also for its user: on_end. Client: the peer is told to stop. Server: it is answered so. */
void conn_call_fail(struct conn_call *call, enum grpc_status status, const char *message);
/* While paused, the peer gets no new credit for this call. */
void conn_pause(struct conn_call *call, bool paused);
