/*
 * TLS for plugin connections: each side has one self-signed certificate and trusts only the other's.
 *
 * This is go-plugin's automatic mutual TLS (docs/core-rules.md 1.3): the peer must present, byte for byte, the certificate that
 * was exchanged beforehand. TLS 1.2 or newer, ALPN h2 on both sides, server name "localhost".
 */
#pragma once

#include "base/diag.h"

struct tls_identity; /* a private key and its certificate; immutable, may be shared by threads */

struct tls_identity *tls_identity_new(struct diags *diags); /* NULL on failure */
void tls_identity_free(struct tls_identity *identity);      /* the key is wiped */

/* The certificate in both forms; the views are valid as long as the identity. */
struct str tls_identity_der(const struct tls_identity *identity);
struct str tls_identity_pem(const struct tls_identity *identity);

/* The DER of the first certificate in PEM text. */
bool tls_der_from_pem(struct arena *a, struct str pem, struct diags *diags, struct str *ret_der);

/*
 * Handshake lines contain the certificate as base64 without padding. Padded or otherwise malformed text is an error.
 */
bool tls_der_from_base64(struct arena *a, struct str base64, struct diags *diags, struct str *ret_der);
struct str tls_der_to_base64(struct arena *a, struct str der);

struct tls_config {
    const struct tls_identity *identity;
    struct str peer_der; /* the only certificate accepted */
};
