/*
 * A server's socket on the loop, connected to its wire (TLS and the core). Used on the loop's thread only.
 *
 * Output is written once per round of the loop: everything that the posts and reads of a round have queued goes out in one write.
 */
#pragma once

#include "grpc/address.h"
#include "grpc/wire.h"
#include "loop/loop.h"

struct transport;

struct transport_options {
    struct loop *loop;
    enum grpc_network network;
    struct tls_context *tls; /* NULL: clear text */
    struct conn_options conn;
    unsigned handshake_ms; /* the peer counts as lost if its HTTP/2 settings have not arrived by then; 0: no limit */
    void *ctx;
    /* Called after each piece of input has been processed; may be NULL. */
    void (*on_input)(void *ctx);
    /* The peer disconnected or broke the protocol. All calls have been ended, and the transport closes itself. */
    void (*on_lost)(void *ctx, const char *why);
    /* Always the last event: the transport has been freed. */
    void (*on_closed)(void *ctx);
};

struct transport *transport_new(const struct transport_options *options);
/* The stream to connect or accept with, before transport_start(). */
uv_stream_t *transport_stream(struct transport *t);
/* Called when the socket is connected: starts the handshake, reading and writing. */
void transport_start(struct transport *t);
struct conn *transport_conn(struct transport *t);

/* Called when the core has new output: it is written at the end of this round. */
void transport_wake(struct transport *t);

/* Sends GOAWAY and ends all calls with GRPC_UNAVAILABLE and `why`; queued output has LINGER_MS to be written; then on_closed. */
void transport_close(struct transport *t, const char *why);
