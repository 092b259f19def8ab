/* Shared by tls.c and tls_filter.c. */
#pragma once

#include "base/buf.h"
#include "grpc/tls.h"

#include <openssl/x509.h>

struct tls_identity {
    EVP_PKEY *key;
    X509 *cert;
    struct buf der, pem;
};

/* The text of the oldest OpenSSL error of this thread. */
const char *tls_library_error(void);
