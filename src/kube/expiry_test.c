/* Expired certificates and tokens are recognised. */
#include "kube/expiry.h"

#include "base/base64.h"
#include "base/buf.h"
#include "base/testing.h"

#include <openssl/pem.h>

#define NOW (1800000000 * NS_PER_S)

/* A certificate (PEM) that expires this many seconds after 1970. */
static struct str certificate(struct arena *a, int64_t end)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *made = X509_new();
    BIO *bio = BIO_new(BIO_s_mem());
    assert_true(key && made && bio);
    assert_true(X509_set_pubkey(made, key) && ASN1_TIME_set(X509_getm_notBefore(made), 0) &&
                ASN1_TIME_set(X509_getm_notAfter(made), end) && X509_sign(made, key, EVP_sha256()) > 0 &&
                PEM_write_bio_X509(bio, made));
    const char *bytes;
    long n = BIO_get_mem_data(bio, &bytes);
    struct str text = arena_str(a, (struct str){bytes, (size_t)n});
    BIO_free(bio);
    X509_free(made);
    EVP_PKEY_free(key);
    return text;
}

/* A header with an unsigned JWT with these claims. */
static struct http_header token(struct arena *a, const char *claims)
{
    struct buf coded BUF_AUTO = BUF_INIT(4096);
    base64_write(&coded, str_of(claims));
    struct str text = buf_copy(&coded, a);
    while (text.n > 0 && text.p[text.n - 1] == '=')
        text.n--;
    char *p = arena_alloc(a, text.n, 1);
    for (size_t i = 0; i < text.n; i++)
        p[i] = (char)(text.p[i] == '+' ? '-' : text.p[i] == '/' ? '_' : text.p[i]);
    return (struct http_header){STR("Authorization"), arena_printf(a, "Bearer e30." STR_FMT ".c2ln", (int)text.n, p)};
}

static void certificates(void **state)
{
    (void)state;
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct kubeconfig config = {.certificate.file = "/etc/jo.crt"};
    struct kube_identity identity = {.tls.certificate = certificate(a, 1799999999)};
    testing_text(kube_expired(a, &identity, &config, NOW),
                 "The client certificate in /etc/jo.crt expired at 2027-01-15T07:59:59Z: renew it.");
    identity.tls.certificate = certificate(a, 1800000001);
    testing_text(kube_expired(a, &identity, &config, NOW), "");
    identity.tls.certificate = STR("-----BEGIN CERTIFICATE-----\nnonsense\n-----END CERTIFICATE-----\n");
    testing_text(kube_expired(a, &identity, &config, NOW), "");
}

static void tokens(void **state)
{
    (void)state;
    static const struct {
        const char *claims;
        bool expired;
    } cases[] = {
        {"{\"exp\":1800000000}", true},
        {"{\"exp\":1800000001}", false},
        {"{\"iss\":\"x\"}", false},
        {"{\"exp\":\"soon\"}", false},
        {"{\"exp\":-5}", false},
        {"{\"exp\":9223372036854775807}", false},
        {"[1800000000]", false},
        {"nonsense", false},
        {"{\"exp\":1,\"\xc3\xbf\xc3\xbe?\":\">>>\"}", true},
    };
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct kubeconfig config = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct http_header header = token(a, cases[i].claims);
        const struct kube_identity identity = {.headers = &header, .n_headers = 1};
        struct str said = kube_expired(a, &identity, &config, NOW);
        assert_int_equal(str_starts(said, STR("The token expired at ")), cases[i].expired);
        assert_int_equal(said.n > 0, cases[i].expired);
    }
    static const char *const others[] = {"Bearer opaque",           "Bearer a.b", "Bearer a.%%%.c",
                                         "Basic eA.eyJleHAiOjF9.x", "Bearer ..",  ""};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct http_header header = {STR("Authorization"), str_of(others[i])};
        const struct kube_identity identity = {.headers = &header, .n_headers = 1};
        testing_text(kube_expired(a, &identity, &config, NOW), "");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(certificates), cmocka_unit_test(tokens)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
