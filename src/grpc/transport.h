/*
 * A server's socket on the loop, joined to its wire (TLS and the core). Loop's thread only.
 *
 * Output is written once per round of the loop: whatever the posts and reads of a round have queued leaves in one write.
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
    unsigned handshake_ms; /* the peer is lost if its HTTP/2 settings have not come by then; 0: for ever */
    void *ctx;
    /* After each piece of input has been worked off; may be NULL. */
    void (*on_input)(void *ctx);
    /* The peer has gone, or broke the protocol. All calls have got their end; the transport closes by itself. */
    void (*on_lost)(void *ctx, const char *why);
    /* The last event, always: the transport is gone. */
    void (*on_closed)(void *ctx);
};

struct transport *transport_new(const struct transport_options *options);
/* To connect or accept with, before transport_start(). */
uv_stream_t *transport_stream(struct transport *t);
/* The socket is connected: handshake, read, write. */
void transport_start(struct transport *t);
struct conn *transport_conn(struct transport *t);

/* The core has something new to say: it is written at the end of this round. */
void transport_wake(struct transport *t);

/* GOAWAY; calls end with GRPC_UNAVAILABLE and `why`; what is queued is given LINGER_MS to leave; then on_closed. */
void transport_close(struct transport *t, const char *why);
