/*
 * A gRPC client connection: many calls at once, from many threads, on one HTTP/2 connection.
 *
 * Calls block the calling (worker) thread, which sends and receives itself; the loop's thread takes part only while no call
 * waits. Every call ends: by an answer, its deadline, its cancellation, or
 * the loss of the connection (GRPC_UNAVAILABLE for all calls in flight and all later ones). A call's memory belongs to the
 * arena given, which belongs to the calling thread.
 */
#pragma once

#include "base/log.h"
#include "grpc/address.h"
#include "grpc/status.h"
#include "grpc/tls.h"
#include "loop/loop.h"

struct grpc_client;

#define GRPC_PING_AFTER (360 * NS_PER_S) /* servers of grpc-go and gRPC's C core want 5 minutes between PINGs */
#define GRPC_PING_PATIENCE (60 * NS_PER_S)

struct grpc_client_options {
    struct loop *loop;
    struct log *log; /* may be NULL */
    struct grpc_address address;
    const struct tls_config *tls; /* NULL: clear text; copied */
    size_t max_message;           /* of one received message; larger ones end the call with RESOURCE_EXHAUSTED */
    int64_t connect_deadline;     /* connecting, TLS handshake and HTTP/2 settings included */
    /*
     * A peer that is silent for so long while a call waits gets a PING; one that does not answer it in time is deaf, and the
     * connection lost. In whole seconds; 0: never. At least GRPC_PING_AFTER for servers that are not known to take more.
     */
    int64_t ping_after, ping_patience;
};

/* Not from the loop's thread, as all below. Diagnostics say what failed: connect, TLS (which check), HTTP/2. */
bool grpc_client_connect(const struct grpc_client_options *options, struct diags *diags, struct grpc_client **ret);
/* GOAWAY, close; calls in flight end with GRPC_UNAVAILABLE. Waits until no call uses the client. NULL is accepted. */
void grpc_client_free(struct grpc_client *client);
/* Has the connection been lost? */
bool grpc_client_is_lost(const struct grpc_client *client);

/*
 * Takes the messages of a stream on the loop's thread, so that no other thread has to wait for them. They may come two seconds
 * late, and cost other calls nothing. Must not block, nor call functions of the client. The call has no deadline.
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
    const struct grpc_listener *listener; /* of a stream; copied. NULL: messages are fetched with grpc_stream_recv() */
};

/* One message there, one back; *ret_response is written only with GRPC_OK. */
struct grpc_result grpc_client_unary(struct grpc_client *client, struct arena *a, struct str method, struct str request,
                                     const struct grpc_call_options *options, struct str *ret_response);

/*
 * Streams in either direction or both. Sending blocks while the peer's window is full and more than a bound is queued.
 * One thread may send while another receives.
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
/* A listener gets what had arrived, and its end; no call of it runs afterwards. */
void grpc_stream_free(struct grpc_stream *s);
