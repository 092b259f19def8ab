#include "conversion/certificate.h"

#include "base/buf.h"

#include <arpa/inet.h>
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <time.h>

enum { BACKDATED_S = 300 /* clocks of a cluster may differ a little */, SERIAL_BITS = 127, MAX_HOST = 253 };

/* ---- creating ---- */

struct making {
    X509 *ca, *leaf;
    EVP_PKEY *ca_key, *key;
};

static bool add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX ctx;
    X509V3_set_ctx(&ctx, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &ctx, nid, value);
    bool ok = extension && X509_add_ext(cert, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return ok;
}

static bool set_serial(X509 *cert)
{
    BIGNUM *serial = BN_new();
    bool ok = serial && BN_rand(serial, SERIAL_BITS, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1 &&
              BN_to_ASN1_INTEGER(serial, X509_get_serialNumber(cert));
    BN_free(serial);
    return ok;
}

static bool set_name(X509_NAME *name, const char *common)
{
    return X509_NAME_add_entry_by_txt(name, "O", MBSTRING_ASC, (const unsigned char *)"terrane", -1, -1, 0) == 1 &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)common, -1, -1, 0) == 1;
}

static bool begin_certificate(X509 *cert, EVP_PKEY *key, const char *common, int64_t valid_s)
{
    return X509_set_version(cert, X509_VERSION_3) == 1 && set_serial(cert) && set_name(X509_get_subject_name(cert), common) &&
           X509_gmtime_adj(X509_getm_notBefore(cert), -BACKDATED_S) && X509_gmtime_adj(X509_getm_notAfter(cert), (long)valid_s) &&
           X509_set_pubkey(cert, key) == 1;
}

static bool is_number(struct str host)
{
    char text[MAX_HOST + 1], bytes[16];
    (void)snprintf(text, sizeof text, STR_FMT, STR_ARG(host));
    return inet_pton(AF_INET, text, bytes) == 1 || inet_pton(AF_INET6, text, bytes) == 1;
}

static bool fill(struct arena *a, struct making *m, struct str host, int64_t valid_s)
{
    const char *name = arena_printf(a, "%s:" STR_FMT, is_number(host) ? "IP" : "DNS", STR_ARG(host)).p;
    return begin_certificate(m->ca, m->ca_key, "conversion webhook authority", valid_s) &&
           X509_set_issuer_name(m->ca, X509_get_subject_name(m->ca)) == 1 &&
           add_extension(m->ca, m->ca, NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
           add_extension(m->ca, m->ca, NID_key_usage, "critical,keyCertSign") &&
           add_extension(m->ca, m->ca, NID_subject_key_identifier, "hash") && X509_sign(m->ca, m->ca_key, EVP_sha256()) > 0 &&
           begin_certificate(m->leaf, m->key, "conversion webhook", valid_s) &&
           X509_set_issuer_name(m->leaf, X509_get_subject_name(m->ca)) == 1 &&
           add_extension(m->leaf, m->ca, NID_basic_constraints, "critical,CA:FALSE") &&
           add_extension(m->leaf, m->ca, NID_key_usage, "critical,digitalSignature") &&
           add_extension(m->leaf, m->ca, NID_ext_key_usage, "serverAuth") &&
           add_extension(m->leaf, m->ca, NID_authority_key_identifier, "keyid") &&
           add_extension(m->leaf, m->ca, NID_subject_alt_name, name) && X509_sign(m->leaf, m->ca_key, EVP_sha256()) > 0;
}

/* Copies the content of a memory BIO, and frees it. */
static struct str take(struct arena *a, BIO *bio)
{
    char *text = NULL;
    long n = bio ? BIO_get_mem_data(bio, &text) : 0;
    struct str copy = n > 0 ? arena_str(a, (struct str){text, (size_t)n}) : STR_EMPTY;
    BIO_free(bio);
    return copy;
}

static struct str pem_of(struct arena *a, X509 *cert)
{
    BIO *bio = BIO_new(BIO_s_mem());
    (void)(bio && PEM_write_bio_X509(bio, cert));
    return take(a, bio);
}

static struct str key_pem(struct arena *a, EVP_PKEY *key)
{
    BIO *bio = BIO_new(BIO_s_secmem());
    (void)(bio && PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, NULL, NULL));
    return take(a, bio);
}

bool certificate_make(struct arena *a, struct str host, int64_t valid_s, struct diags *diags, struct certificate *ret)
{
    struct making m = {X509_new(), X509_new(), EVP_EC_gen("P-256"), EVP_EC_gen("P-256")};
    ERR_clear_error();
    bool ok = host.n > 0 && host.n <= MAX_HOST && m.ca && m.leaf && m.ca_key && m.key && fill(a, &m, host, valid_s);
    if (ok) {
        struct str ca = pem_of(a, m.ca), leaf = pem_of(a, m.leaf), key = key_pem(a, m.key);
        ok = ca.n > 0 && leaf.n > 0 && key.n > 0;
        if (ok)
            *ret =
                (struct certificate){.ca = ca, .chain = arena_printf(a, STR_FMT STR_FMT, STR_ARG(leaf), STR_ARG(ca)), .key = key};
    }
    unsigned long code = ERR_peek_error();
    X509_free(m.ca);
    X509_free(m.leaf);
    EVP_PKEY_free(m.ca_key);
    EVP_PKEY_free(m.key);
    if (!ok)
        (void)diags_fail(diags, "Cannot make a certificate", "For \"" STR_FMT "\": %s.", STR_ARG(host),
                         code ? ERR_reason_error_string(code) : "not the name of a host");
    return ok;
}

/* ---- checking ---- */

static X509 *read_first(struct str pem)
{
    BIO *bio = pem.n > 0 && pem.n <= CERTIFICATE_MAX_PEM ? BIO_new_mem_buf(pem.p, (int)pem.n) : NULL;
    X509 *cert = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    BIO_free(bio);
    return cert;
}

static bool lasts(const X509 *cert, int64_t left_s)
{
    time_t then = time(NULL) + (time_t)left_s;
    return X509_cmp_current_time(X509_get0_notBefore(cert)) < 0 && X509_cmp_time(X509_get0_notAfter(cert), &then) > 0;
}

static bool is_for(X509 *cert, struct str host)
{
    char text[MAX_HOST + 1];
    if (host.n > MAX_HOST)
        return false;
    (void)snprintf(text, sizeof text, STR_FMT, STR_ARG(host));
    return is_number(host) ? X509_check_ip_asc(cert, text, 0) == 1 : X509_check_host(cert, text, host.n, 0, NULL) == 1;
}

bool certificate_is_good(struct str chain, struct str key, struct str host, int64_t left_s)
{
    BIO *bio = key.n > 0 && key.n <= CERTIFICATE_MAX_PEM ? BIO_new_mem_buf(key.p, (int)key.n) : NULL;
    EVP_PKEY *own = bio ? PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL) : NULL;
    X509 *cert = read_first(chain);
    bool ok = own && cert && X509_check_private_key(cert, own) == 1 && is_for(cert, host) && lasts(cert, left_s);
    ERR_clear_error();
    X509_free(cert);
    EVP_PKEY_free(own);
    BIO_free(bio);
    return ok;
}

bool certificate_is_valid(struct str pem)
{
    X509 *cert = read_first(pem);
    bool ok = cert && lasts(cert, 0);
    ERR_clear_error();
    X509_free(cert);
    return ok;
}
