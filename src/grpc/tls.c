/* Identities and their text forms. The filter for connections is in tls_filter.c. */
#include "grpc/tls.h"

#include "base/buf.h"
#include "grpc/tls_private.h"

#include <openssl/asn1.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

enum {
    BACKDATED_S = 30,        /* the clocks of both sides may differ a little */
    VALID_S = 262980 * 3600, /* thirty years */
    SERIAL_BITS = 128,
    CERTIFICATE_MAX = 64 << 10, /* of a certificate from outside, in any form */
};

/* ---- making one ---- */

static bool add_extension(X509 *cert, X509V3_CTX *ctx, int nid, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, ctx, nid, value);
    bool ok = extension && X509_add_ext(cert, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return ok;
}

static bool add_extensions(X509 *cert)
{
    X509V3_CTX ctx;
    X509V3_set_ctx(&ctx, cert, cert, NULL, NULL, 0);
    return add_extension(cert, &ctx, NID_key_usage, "critical,digitalSignature,keyEncipherment,keyAgreement,keyCertSign") &&
           add_extension(cert, &ctx, NID_ext_key_usage, "clientAuth,serverAuth") &&
           add_extension(cert, &ctx, NID_basic_constraints, "critical,CA:TRUE") &&
           add_extension(cert, &ctx, NID_subject_alt_name, "DNS:localhost");
}

static bool set_serial(X509 *cert)
{
    BIGNUM *serial = BN_new();
    bool ok = serial && BN_rand(serial, SERIAL_BITS, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
              BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(cert));
    BN_free(serial);
    return ok;
}

static bool set_names(X509 *cert)
{
    X509_NAME *name = X509_get_subject_name(cert);
    return X509_NAME_add_entry_by_txt(name, "O", MBSTRING_ASC, (const unsigned char *)"HashiCorp", -1, -1, 0) == 1 &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"localhost", -1, -1, 0) == 1 &&
           X509_set_issuer_name(cert, name) == 1;
}

static bool fill_certificate(X509 *cert, EVP_PKEY *key)
{
    return X509_set_version(cert, X509_VERSION_3) == 1 && set_serial(cert) && set_names(cert) &&
           X509_gmtime_adj(X509_getm_notBefore(cert), -BACKDATED_S) && X509_gmtime_adj(X509_getm_notAfter(cert), VALID_S) &&
           X509_set_pubkey(cert, key) == 1 && add_extensions(cert) && X509_sign(cert, key, EVP_sha512()) > 0;
}

static bool write_forms(struct tls_identity *identity)
{
    unsigned char *der = NULL;
    int n = i2d_X509(identity->cert, &der);
    if (n <= 0)
        return false;
    identity->der = BUF_INIT(CERTIFICATE_MAX);
    buf_add(&identity->der, (struct str){(const char *)der, (size_t)n});
    OPENSSL_free(der);

    BIO *bio = BIO_new(BIO_s_mem());
    char *text;
    bool ok = bio && PEM_write_bio_X509(bio, identity->cert) == 1;
    long length = ok ? BIO_get_mem_data(bio, &text) : 0;
    identity->pem = BUF_INIT(CERTIFICATE_MAX);
    if (length > 0)
        buf_add(&identity->pem, (struct str){text, (size_t)length});
    BIO_free(bio);
    return length > 0 && buf_ok(&identity->der) && buf_ok(&identity->pem);
}

const char *tls_library_error(void)
{
    unsigned long code = ERR_peek_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    return reason ? reason : "unknown error";
}

struct tls_identity *tls_identity_new(struct diags *diags)
{
    ERR_clear_error();
    struct tls_identity *identity = calloc(1, sizeof *identity);
    bool ok = identity && (identity->key = EVP_EC_gen("P-256")) && (identity->cert = X509_new()) &&
              fill_certificate(identity->cert, identity->key) && write_forms(identity);
    if (ok)
        return identity;
    (void)diags_fail(diags, "Cannot make a TLS certificate", "OpenSSL: %s.", tls_library_error());
    tls_identity_free(identity);
    return NULL;
}

void tls_identity_free(struct tls_identity *identity)
{
    if (!identity)
        return;
    EVP_PKEY_free(identity->key); /* also wipes the private key */
    X509_free(identity->cert);
    buf_free(&identity->der);
    buf_free(&identity->pem);
    free(identity);
}

struct str tls_identity_der(const struct tls_identity *identity)
{
    return buf_str(&identity->der);
}

struct str tls_identity_pem(const struct tls_identity *identity)
{
    return buf_str(&identity->pem);
}

/* ---- reading one ---- */

static const char bad_certificate[] = "Invalid TLS certificate";

bool tls_der_from_pem(struct arena *a, struct str pem, struct diags *diags, struct str *ret_der)
{
    if (pem.n > CERTIFICATE_MAX)
        return diags_fail(diags, bad_certificate, "The PEM text is longer than %d bytes.", CERTIFICATE_MAX);
    ERR_clear_error();
    BIO *bio = BIO_new_mem_buf(pem.p, (int)pem.n);
    X509 *cert = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    unsigned char *der = NULL;
    int n = cert ? i2d_X509(cert, &der) : -1;
    BIO_free(bio);
    X509_free(cert);
    if (n <= 0)
        return diags_fail(diags, bad_certificate, "The text is not a certificate in PEM form: %s.", tls_library_error());
    *ret_der = arena_str(a, (struct str){(const char *)der, (size_t)n});
    OPENSSL_free(der);
    return true;
}

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Decodes to `out`. Returns what is wrong, or NULL. */
static const char *decode_base64(struct str text, struct buf *out)
{
    uint32_t bits = 0;
    unsigned n_bits = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '=')
            return "it must not be padded with '='";
        const char *at = text.p[i] != '\0' ? strchr(alphabet, text.p[i]) : NULL;
        if (!at)
            return "it contains a character that is not base64";
        bits = bits << 6 | (uint32_t)(at - alphabet);
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            buf_addc(out, (char)(bits >> n_bits & 0xff));
        }
    }
    return text.n % 4 == 1 ? "it is cut short" : NULL;
}

static bool is_certificate(struct str der)
{
    const unsigned char *p = (const unsigned char *)der.p;
    X509 *cert = d2i_X509(NULL, &p, (long)der.n);
    X509_free(cert);
    return cert && p == (const unsigned char *)der.p + der.n;
}

bool tls_der_from_base64(struct arena *a, struct str base64, struct diags *diags, struct str *ret_der)
{
    struct buf der BUF_AUTO = BUF_INIT(CERTIFICATE_MAX);
    const char *why = base64.n > CERTIFICATE_MAX ? "it is too long" : decode_base64(base64, &der);
    if (!why && !is_certificate(buf_str(&der)))
        why = "the bytes are not a certificate";
    ERR_clear_error();
    if (why)
        return diags_fail(diags, bad_certificate, "The certificate must be base64 without padding, but %s.", why);
    *ret_der = buf_copy(&der, a);
    return true;
}

struct str tls_der_to_base64(struct arena *a, struct str der)
{
    size_t full = der.n / 3, rest = der.n % 3;
    size_t n = full * 4 + (rest > 0 ? rest + 1 : 0);
    char *text = arena_alloc(a, n + 1, 1);
    const unsigned char *p = (const unsigned char *)der.p;
    for (size_t i = 0; i < n; i++) {
        /* Character i holds bits 6i .. 6i+5 of the input; after its end there are zeros. */
        size_t bit = i * 6, byte = bit / 8;
        unsigned pair = (unsigned)p[byte] << 8 | (byte + 1 < der.n ? p[byte + 1] : 0);
        text[i] = alphabet[pair >> (10 - bit % 8) & 63];
    }
    return (struct str){text, n};
}
