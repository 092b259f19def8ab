/* What tls.c and tls_filter.c share. */
#pragma once

#include "base/buf.h"
#include "grpc/tls.h"

#include <openssl/x509.h>

struct tls_identity {
    EVP_PKEY *key;
    X509 *cert;
    struct buf der, pem;
};

/* The oldest error of this thread in words. */
const char *tls_library_error(void);
