/*
 * What lies between a socket and a core, on both ends of a connection: TLS, if wanted, and the core itself. No I/O: whoever has
 * the socket feeds it what was read and writes what it pulls.
 *
 *     wire_start(w)                    once, when the socket is connected
 *     wire_feed(w, bytes)              what was read; the core's events are called from within
 *     bytes = wire_pull(w)             what is to be written; the same bytes again until
 *     wire_pulled(w, n)                so many of them were written
 *     wire_reason(w, otherwise)        why it ended
 *
 * What was pulled stays where it is until it is written, whatever is fed meanwhile; so a write may take its time. The core is
 * asked for more only when all is written: a slow peer costs two buffers of WIRE_OUT, not more. Not thread-safe, as the core.
 */
#pragma once

#include "grpc/conn.h"
#include "grpc/tls_filter.h"

enum {
    WIRE_IN = 256 << 10,  /* a good size for reading */
    WIRE_OUT = 256 << 10, /* pulled at once, and one frame */
};

/* The reason when the peer gave none. */
#define WIRE_PEER_CLOSED "the peer closed the connection"

struct wire;

/* NULL `tls`: clear text; else the context must outlive the wire. The core is made with these options, but for `.tls`. */
struct wire *wire_new(struct tls_context *tls, const struct conn_options *conn);
void wire_free(struct wire *w); /* NULL is accepted */
struct conn *wire_conn(struct wire *w);
/* Has TLS, if any, been established? */
bool wire_is_secure(const struct wire *w);

/* Begins the handshake. False as wire_feed(). */
bool wire_start(struct wire *w);
/* False: the connection is over, wire_reason() says why; what can still be pulled (an alert, a GOAWAY) is for the peer. */
bool wire_feed(struct wire *w, struct str bytes);

/* Bytes for the socket, empty: there is nothing to say now. */
struct str wire_pull(struct wire *w);
void wire_pulled(struct wire *w, size_t n);
/* Was more pulled than written? */
bool wire_is_behind(const struct wire *w);
/* The socket takes no more: nothing is pulled from now on. What the peer said before may still be fed. */
void wire_mute(struct wire *w);
bool wire_is_mute(const struct wire *w);
/* TLS's own last words, to be pulled after everything else. */
void wire_say_goodbye(struct wire *w);

/* Nothing will be read or written any more: one side said GOAWAY and all calls have ended. */
bool wire_is_over(const struct wire *w);
/* What went wrong, in words; `otherwise` when nothing did. Valid until the next call of a function here. */
const char *wire_reason(const struct wire *w, const char *otherwise);
/* The same after reading failed: 0 for the end of the input, else a number of errno. */
const char *wire_read_failure(const struct wire *w, int error);
