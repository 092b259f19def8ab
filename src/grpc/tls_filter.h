/*
 * TLS between the socket and the HTTP/2 core, without I/O: ciphertext in, plaintext out, and the reverse.
 *
 * A context is created once per client or server; each connection has one filter, used by one thread at a time.
 */
#pragma once

#include "base/buf.h"
#include "grpc/tls.h"

struct tls_context;
struct tls_filter;

/* Copies the configuration. NULL on failure. */
struct tls_context *tls_context_new(const struct tls_config *config, bool server, struct diags *diags);
void tls_context_free(struct tls_context *ctx); /* NULL is accepted; free its filters first */

struct tls_filter *tls_filter_new(struct tls_context *ctx);
void tls_filter_free(struct tls_filter *f); /* NULL is accepted */

/* True when the handshake is done and all checks have passed: plaintext may be sent. */
bool tls_filter_is_ready(const struct tls_filter *f);

/*
 * Begins (client) or continues the handshake, and passes decrypted bytes to `plain`, which may return false to stop. Bytes for
 * the peer are in tls_filter_output(). False when the connection is over: tls_filter_problem() says why.
 */
bool tls_filter_receive(struct tls_filter *f, struct str cipher, bool (*plain)(void *ctx, struct str bytes), void *ctx);
/* Encrypts; the result is in tls_filter_output(). */
bool tls_filter_send(struct tls_filter *f, struct str plain);
/* Sends close_notify as the last message. */
void tls_filter_shut_down(struct tls_filter *f);

/* Bytes for the socket; the caller takes them away. */
struct buf *tls_filter_output(struct tls_filter *f);
/* What went wrong, "" if nothing; an orderly shutdown by the peer is not a problem. */
const char *tls_filter_problem(const struct tls_filter *f);
