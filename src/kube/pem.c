#include "kube/pem.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>

static BIO *reader(struct str pem)
{
    return BIO_new_mem_buf(pem.p, pem.n > INT_MAX ? INT_MAX : (int)pem.n);
}

static X509 *read_certificate(struct str pem)
{
    BIO *bio = reader(pem);
    X509 *certificate = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    BIO_free(bio);
    ERR_clear_error();
    return certificate;
}

/* Without this, OpenSSL asks the terminal for the password of an encrypted key. */
static int no_password(char *ret, int size, int writing, void *ctx)
{
    (void)ret, (void)size, (void)writing, (void)ctx;
    return -1;
}

static EVP_PKEY *read_key(struct str pem)
{
    BIO *bio = reader(pem);
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL) : NULL;
    BIO_free(bio);
    ERR_clear_error();
    return key;
}

const char *kube_pem_authority(struct str pem)
{
    X509 *certificate = read_certificate(pem);
    X509_free(certificate);
    return certificate ? NULL : "is not a certificate in PEM (\"-----BEGIN CERTIFICATE-----\")";
}

const char *kube_pem_pair(struct str certificate, struct str key)
{
    X509 *of = read_certificate(certificate);
    EVP_PKEY *pkey = read_key(key);
    const char *wrong = !of     ? "is not a certificate in PEM (\"-----BEGIN CERTIFICATE-----\")"
                        : !pkey ? "has a private key that is not one in PEM without a password (\"-----BEGIN PRIVATE KEY-----\")"
                        : X509_check_private_key(of, pkey) != 1 ? "has the private key of another certificate"
                                                                : NULL;
    EVP_PKEY_free(pkey);
    X509_free(of);
    ERR_clear_error();
    return wrong;
}
