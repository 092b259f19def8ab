/*
 * A gRPC client connection: many calls at once, from many threads, on one HTTP/2 connection.
 *
 * A call blocks the calling (worker) thread, which sends and receives itself; the loop's thread handles the socket only while no
 * call waits. Every call ends: with a response, at its deadline, when cancelled, or when the connection is lost (GRPC_UNAVAILABLE
 * for all calls in flight and all later ones). A call's results are allocated in the given arena, which belongs to the calling
 * thread.
 */
#pragma once

#include "base/log.h"
#include "grpc/address.h"
#include "grpc/status.h"
#include "grpc/tls.h"
#include "loop/loop.h"

struct grpc_client;

#define GRPC_PING_AFTER (360 * NS_PER_S) /* grpc-go and gRPC C core servers require 5 minutes between PINGs */
#define GRPC_PING_PATIENCE (60 * NS_PER_S)

struct grpc_client_options {
    struct loop *loop;
    struct log *log; /* may be NULL */
    struct grpc_address address;
    const struct tls_config *tls; /* NULL: clear text; copied */
    size_t max_message;           /* size of a received message; a larger one ends the call with RESOURCE_EXHAUSTED */
    int64_t connect_deadline;     /* for connecting, the TLS handshake and the HTTP/2 settings */
    /*
     * Keepalive: when the peer is silent for `ping_after` while a call waits, it gets a PING; when it does not answer within
     * `ping_patience`, the connection counts as lost. In whole seconds; 0: never. Use at least GRPC_PING_AFTER unless the server
     * is known to accept more frequent PINGs.
     */
    int64_t ping_after, ping_patience;
};

/* Connects. Neither this nor any function below may be called on the loop's thread. Diagnostics say what failed: connecting, TLS
 * (and which check), or HTTP/2. */
bool grpc_client_connect(const struct grpc_client_options *options, struct diags *diags, struct grpc_client **ret);
/* Sends GOAWAY and closes the connection; calls in flight end with GRPC_UNAVAILABLE. Waits until no call uses the client. NULL is
 * accepted. */
void grpc_client_free(struct grpc_client *client);
/* True when the connection has been lost. */
bool grpc_client_is_lost(const struct grpc_client *client);

/*
 * Receives the messages of a stream on the loop's thread, so that no other thread has to wait for them. Messages may be delivered
 * up to two seconds late; other calls are not slowed down. The functions must not block or call client functions. The call must
 * not have a deadline.
 */
struct grpc_listener {
    void (*on_message)(void *ctx, struct str message);
    void (*on_end)(void *ctx); /* once, after the last message */
    void *ctx;
};

/* Options of one call; all zero is fine. */
struct grpc_call_options {
    int64_t deadline;                     /* monotonic, NO_DEADLINE; also sent as grpc-timeout */
    struct cancel *cancel;                /* ends the call with GRPC_CANCELLED */
    const struct grpc_listener *listener; /* for a stream; copied. NULL: the caller uses grpc_stream_recv() */
};

/* Sends one message and waits for one response; *ret_response is set only with GRPC_OK. */
struct grpc_result grpc_client_unary(struct grpc_client *client, struct arena *a, struct str method, struct str request,
                                     const struct grpc_call_options *options, struct str *ret_response);

/*
 * Streams in either direction or both. Sending blocks while the peer's window is full and the queue has reached its limit. One
 * thread may send while another receives.
 *
 *     struct grpc_stream *s = grpc_stream_open(client, STR("/tfplugin6.Provider/ListResource"), options);
 *     grpc_stream_send(s, request); grpc_stream_close_send(s);
 *     while (grpc_stream_recv(s, arena, &message)) ...;
 *     struct grpc_result result = grpc_stream_result(s, arena);
 *     grpc_stream_free(s);      // cancels the call if it still runs
 */
struct grpc_stream;
struct grpc_stream *grpc_stream_open(struct grpc_client *client, struct str method, const struct grpc_call_options *options);
bool grpc_stream_send(struct grpc_stream *s, struct str message); /* false: the call has ended, or its sending side */
void grpc_stream_close_send(struct grpc_stream *s);
bool grpc_stream_recv(struct grpc_stream *s, struct arena *a, struct str *ret_message); /* false: the call has ended */
struct grpc_result grpc_stream_result(struct grpc_stream *s, struct arena *a);          /* waits for the end */
/* Frees the stream. A listener first gets the messages that have arrived and on_end; after that it is not called any more. */
void grpc_stream_free(struct grpc_stream *s);
