/*
 * The layers above a socket, for client and server: optional TLS, and the core itself. No I/O: the owner of the socket feeds it
 * the bytes read and writes the bytes it pulls.
 *
 *     wire_start(w)                    once, when the socket is connected
 *     wire_feed(w, bytes)              bytes that were read; it calls the core's events
 *     bytes = wire_pull(w)             bytes to write; the same bytes again until
 *     wire_pulled(w, n)                n of them were written
 *     wire_reason(w, otherwise)        why it ended
 *
 * Pulled bytes stay in place until they are written, whatever is fed meanwhile, so a write may take long. The core is asked for
 * more output only when everything is written, so a slow peer costs at most two buffers of WIRE_OUT. Not thread-safe, like the
 * core.
 */
#pragma once

#include "grpc/conn.h"
#include "grpc/tls_filter.h"

enum {
    WIRE_IN = 256 << 10,  /* recommended size for reading */
    WIRE_OUT = 256 << 10, /* size of one pull and of one frame */
};

/* The reason when the peer gave none. */
#define WIRE_PEER_CLOSED "the peer closed the connection"

struct wire;

/* `tls` NULL: clear text; otherwise the context must outlive the wire. The core is created with these options, except for
 * `.tls`. */
struct wire *wire_new(struct tls_context *tls, const struct conn_options *conn);
void wire_free(struct wire *w); /* NULL is accepted */
struct conn *wire_conn(struct wire *w);
/* True when TLS has been established or is not used. */
bool wire_is_secure(const struct wire *w);

/* Begins the handshake. Returns false as wire_feed() does. */
bool wire_start(struct wire *w);
/* False when the connection is over: wire_reason() says why. Bytes that can still be pulled (an alert, a GOAWAY) should be sent
 * to the peer. */
bool wire_feed(struct wire *w, struct str bytes);

/* Bytes for the socket; empty when there is nothing to write now. */
struct str wire_pull(struct wire *w);
void wire_pulled(struct wire *w, size_t n);
/* True when pulled bytes have not been written yet. */
bool wire_is_behind(const struct wire *w);
/* The socket accepts no more output: nothing is pulled from now on. Bytes that the peer sent before may still be fed. */
void wire_mute(struct wire *w);
bool wire_is_mute(const struct wire *w);
/* Queues TLS's close_notify, to be pulled after everything else. */
void wire_say_goodbye(struct wire *w);

/* True when nothing will be read or written any more: one side sent GOAWAY and all calls have ended. */
bool wire_is_over(const struct wire *w);
/* What went wrong; `otherwise` when nothing did. Valid until the next call of a function here. */
const char *wire_reason(const struct wire *w, const char *otherwise);
/* The same after a failed read: `error` is 0 at the end of the input, else an errno value. */
const char *wire_read_failure(const struct wire *w, int error);
