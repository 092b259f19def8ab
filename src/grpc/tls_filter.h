/*
 * TLS between the socket and the HTTP/2 core, without I/O: cipher text in, plain text out, and the reverse.
 *
 * A context is made once for a client or a server; filters are one a connection and belong to one thread.
 */
#pragma once

#include "base/buf.h"
#include "grpc/tls.h"

struct tls_context;
struct tls_filter;

/* Copies the configuration. NULL on failure. */
struct tls_context *tls_context_new(const struct tls_config *config, bool server, struct diags *diags);
void tls_context_free(struct tls_context *ctx); /* NULL is accepted; filters first */

struct tls_filter *tls_filter_new(struct tls_context *ctx);
void tls_filter_free(struct tls_filter *f); /* NULL is accepted */

/* The handshake is done, all checks passed: plain text may be sent. */
bool tls_filter_is_ready(const struct tls_filter *f);

/*
 * Begins the handshake (client) or goes on with it, and hands decrypted bytes to `plain`, which may return false to stop.
 * What must go to the peer is in tls_filter_output(). False: the connection is over, tls_filter_problem() says why.
 */
bool tls_filter_receive(struct tls_filter *f, struct str cipher, bool (*plain)(void *ctx, struct str bytes), void *ctx);
/* Encrypts; the result is in tls_filter_output(). */
bool tls_filter_send(struct tls_filter *f, struct str plain);
/* A polite end, as a last message. */
void tls_filter_shut_down(struct tls_filter *f);

/* Bytes for the socket; the caller takes them away. */
struct buf *tls_filter_output(struct tls_filter *f);
/* Words, "" if nothing is wrong; the peer's orderly end is no problem. */
const char *tls_filter_problem(const struct tls_filter *f);
