#include "grpc/tls_filter.h"
#include "grpc/tls_private.h"

#include <openssl/ec.h>
#include <openssl/rsa.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

static struct arena *arena;
static struct diags diags;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(NULL, 0);
    diags_init(&diags, arena);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_free(arena);
    return 0;
}

static void assert_diag(const char *words)
{
    assert_int_equal(diags.n, 1);
    if (!strstr(diags.v[0].detail.p, words))
        fail_msg("\"%s\" is not in: %s", words, diags.v[0].detail.p);
    diags_init(&diags, arena);
}

/* ---- the certificate ---- */

static void identity_is_the_certificate_that_plugins_expect(void **state)
{
    (void)state;
    struct tls_identity *identity = tls_identity_new(&diags);
    assert_non_null(identity);
    struct str der = tls_identity_der(identity);
    const unsigned char *p = (const unsigned char *)der.p;
    X509 *cert = d2i_X509(NULL, &p, (long)der.n);
    assert_non_null(cert);

    char name[100];
    (void)X509_NAME_oneline(X509_get_subject_name(cert), name, sizeof name);
    assert_string_equal(name, "/O=HashiCorp/CN=localhost");
    assert_int_equal(X509_get_signature_nid(cert), NID_ecdsa_with_SHA512);
    EVP_PKEY *key = X509_get0_pubkey(cert);
    assert_int_equal(EVP_PKEY_get_bits(key), 256);
    assert_int_equal(X509_verify(cert, key), 1);
    assert_int_equal(X509_check_host(cert, "localhost", 0, 0, NULL), 1);
    assert_int_equal(X509_check_ca(cert), 1);
    uint32_t usage = X509_get_key_usage(cert);
    assert_int_equal(usage, KU_DIGITAL_SIGNATURE | KU_KEY_ENCIPHERMENT | KU_KEY_AGREEMENT | KU_KEY_CERT_SIGN);
    assert_int_equal(X509_get_extended_key_usage(cert), XKU_SSL_CLIENT | XKU_SSL_SERVER);
    time_t now = time(NULL);
    assert_true(X509_cmp_time(X509_get0_notBefore(cert), &now) < 0);
    time_t later = now + 29L * 365 * 24 * 3600;
    assert_true(X509_cmp_time(X509_get0_notAfter(cert), &later) > 0);
    assert_true(ASN1_STRING_length(X509_get0_serialNumber(cert)) <= 16);
    X509_free(cert);

    /* A second identity is different. */
    struct tls_identity *other = tls_identity_new(&diags);
    assert_false(str_eq(tls_identity_der(other), der));
    tls_identity_free(other);
    tls_identity_free(identity);
    tls_identity_free(NULL);
}

static void pem_gives_back_the_der(void **state)
{
    (void)state;
    struct tls_identity *identity = tls_identity_new(&diags);
    struct str der;
    assert_true(tls_der_from_pem(arena, tls_identity_pem(identity), &diags, &der));
    assert_true(str_eq(der, tls_identity_der(identity)));
    assert_false(tls_der_from_pem(arena, STR("-----BEGIN CERTIFICATE-----\nnonsense"), &diags, &der));
    assert_diag("PEM");
    assert_false(tls_der_from_pem(arena, STR(""), &diags, &der));
    assert_diag("PEM");
    tls_identity_free(identity);
}

static void base64_has_no_padding(void **state)
{
    (void)state;
    /* Vectors of RFC 4648, padding taken off. */
    static const char *const vectors[][2] = {{"", ""},           {"f", "Zg"},          {"fo", "Zm8"},         {"foo", "Zm9v"},
                                             {"foob", "Zm9vYg"}, {"fooba", "Zm9vYmE"}, {"foobar", "Zm9vYmFy"}};
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        assert_string_equal(tls_der_to_base64(arena, str_of(vectors[i][0])).p, vectors[i][1]);

    struct tls_identity *identity = tls_identity_new(&diags);
    struct str text = tls_der_to_base64(arena, tls_identity_der(identity)), der;
    assert_true(text.n > 50 && str_find(text, '=', 0) == SIZE_MAX);
    assert_true(tls_der_from_base64(arena, text, &diags, &der));
    assert_true(str_eq(der, tls_identity_der(identity)));

    assert_false(tls_der_from_base64(arena, arena_printf(arena, STR_FMT "==", STR_ARG(text)), &diags, &der));
    assert_diag("padded");
    assert_false(tls_der_from_base64(arena, arena_printf(arena, "!" STR_FMT, STR_ARG(str_slice(text, 1, text.n))), &diags, &der));
    assert_diag("not base64");
    assert_false(tls_der_from_base64(arena, STR("Zm9vZ"), &diags, &der));
    assert_diag("cut short");
    assert_false(tls_der_from_base64(arena, STR("Zm9vYmFy"), &diags, &der));
    assert_diag("not a certificate");
    assert_false(tls_der_from_base64(arena, STR(""), &diags, &der));
    assert_diag("not a certificate");
    /* Bytes after the certificate. */
    struct str longer = arena_printf(arena, STR_FMT "AAAA", STR_ARG(str_slice(text, 0, text.n / 4 * 4)));
    assert_false(tls_der_from_base64(arena, longer, &diags, &der));
    assert_diag("not a certificate");
    tls_identity_free(identity);
}

/* ---- two filters in memory ---- */

static bool take_plain(void *ctx, struct str bytes)
{
    buf_add(ctx, bytes);
    return true;
}

/* Moves the output of `from` to `to`, `piece` bytes at a time. */
static bool carry(struct tls_filter *from, struct tls_filter *to, size_t piece, struct buf *plain)
{
    struct buf *out = tls_filter_output(from);
    struct str rest = buf_str(out);
    bool ok = true;
    while (rest.n > 0 && ok) {
        ok = tls_filter_receive(to, str_slice(rest, 0, piece), take_plain, plain);
        rest = str_slice(rest, piece, rest.n);
    }
    buf_clear(out);
    return ok;
}

struct outcome {
    bool ready;
    char client_problem[200], server_problem[200];
    struct buf server_got, client_got;
};

static void remember(char to[200], const struct tls_filter *f)
{
    (void)snprintf(to, 200, "%s", tls_filter_problem(f));
}

static void shake_hands(const struct tls_config *client_config, const struct tls_config *server_config, size_t piece,
                        struct outcome *ret)
{
    struct tls_context *client_ctx = tls_context_new(client_config, false, &diags);
    struct tls_context *server_ctx = tls_context_new(server_config, true, &diags);
    assert_non_null(client_ctx);
    assert_non_null(server_ctx);
    struct tls_filter *client = tls_filter_new(client_ctx), *server = tls_filter_new(server_ctx);
    *ret = (struct outcome){.server_got = BUF_INIT(1 << 20), .client_got = BUF_INIT(1 << 20)};
    assert_true(tls_filter_receive(client, STR_EMPTY, take_plain, &ret->client_got));
    for (int i = 0; i < 4; i++) {
        (void)carry(client, server, piece, &ret->server_got);
        (void)carry(server, client, piece, &ret->client_got);
    }
    ret->ready = tls_filter_is_ready(client) && tls_filter_is_ready(server);
    if (ret->ready) {
        static char much[50000];
        assert_true(tls_filter_send(client, STR("hello")));
        assert_true(tls_filter_send(server, (struct str){much, sizeof much}));
        assert_true(carry(client, server, piece, &ret->server_got));
        assert_true(carry(server, client, piece, &ret->client_got));
        assert_true(str_eq(buf_str(&ret->server_got), STR("hello")));
        assert_int_equal(ret->client_got.n, sizeof much);
        tls_filter_shut_down(client);
        assert_false(carry(client, server, piece, &ret->server_got)); /* closed, without a problem */
    }
    remember(ret->client_problem, client);
    remember(ret->server_problem, server);
    buf_free(&ret->server_got);
    buf_free(&ret->client_got);
    tls_filter_free(client);
    tls_filter_free(server);
    tls_context_free(client_ctx);
    tls_context_free(server_ctx);
}

static void both_sides_agree_when_certificates_are_those_exchanged(void **state)
{
    (void)state;
    struct tls_identity *a = tls_identity_new(&diags), *b = tls_identity_new(&diags);
    struct tls_config client = {a, tls_identity_der(b)}, server = {b, tls_identity_der(a)};
    static const size_t pieces[] = {1, 2, 5, 100, 16384, 1 << 20};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        struct outcome o;
        shake_hands(&client, &server, pieces[i], &o);
        assert_true(o.ready);
        assert_string_equal(o.client_problem, "");
        assert_string_equal(o.server_problem, "");
    }
    tls_identity_free(a);
    tls_identity_free(b);
}

static void another_certificate_is_refused_by_either_side(void **state)
{
    (void)state;
    struct tls_identity *a = tls_identity_new(&diags), *b = tls_identity_new(&diags), *c = tls_identity_new(&diags);
    struct outcome o;
    struct tls_config client = {a, tls_identity_der(c)}, server = {b, tls_identity_der(a)};
    shake_hands(&client, &server, 1 << 20, &o);
    assert_false(o.ready);
    assert_non_null(strstr(o.client_problem, "the server presented another certificate"));
    assert_non_null(strstr(o.server_problem, "the client refused our handshake or certificate"));

    client = (struct tls_config){a, tls_identity_der(b)};
    server = (struct tls_config){b, tls_identity_der(c)};
    shake_hands(&client, &server, 1 << 20, &o);
    assert_false(o.ready);
    assert_non_null(strstr(o.server_problem, "the client presented another certificate"));
    assert_non_null(strstr(o.client_problem, "the server refused our handshake or certificate"));
    tls_identity_free(a);
    tls_identity_free(b);
    tls_identity_free(c);
}

/* A certificate signed by the exchanged one is a different certificate, although its chain would verify. */
static void a_certificate_signed_by_the_exchanged_one_is_refused(void **state)
{
    (void)state;
    struct tls_identity *a = tls_identity_new(&diags), *b = tls_identity_new(&diags), *forged = tls_identity_new(&diags);
    assert_int_equal(X509_set_issuer_name(forged->cert, X509_get_subject_name(b->cert)), 1);
    assert_true(X509_sign(forged->cert, b->key, EVP_sha512()) > 0);
    struct tls_config client = {a, tls_identity_der(b)}, server = {forged, tls_identity_der(a)};
    struct outcome o;
    shake_hands(&client, &server, 1 << 20, &o);
    assert_false(o.ready);
    assert_non_null(strstr(o.client_problem, "another certificate"));
    tls_identity_free(a);
    tls_identity_free(b);
    tls_identity_free(forged);
}

/* Peers in other languages use other kinds of keys. */
static void keys_of_other_kinds_are_accepted(void **state)
{
    (void)state;
    EVP_PKEY *keys[] = {EVP_EC_gen("P-256"), EVP_RSA_gen(2048)};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        struct tls_identity *a = tls_identity_new(&diags), *b = tls_identity_new(&diags);
        EVP_PKEY_free(b->key);
        b->key = keys[i];
        assert_int_equal(X509_set_pubkey(b->cert, b->key), 1);
        assert_true(X509_sign(b->cert, b->key, EVP_sha256()) > 0);
        unsigned char *der = NULL;
        int n = i2d_X509(b->cert, &der);
        buf_clear(&b->der);
        buf_add(&b->der, (struct str){(const char *)der, (size_t)n});
        OPENSSL_free(der);
        struct tls_config client = {a, tls_identity_der(b)}, server = {b, tls_identity_der(a)};
        struct outcome o;
        shake_hands(&client, &server, 1 << 20, &o);
        assert_true(o.ready);
        shake_hands(&server, &client, 1 << 20, &o);
        assert_true(o.ready);
        tls_identity_free(a);
        tls_identity_free(b);
    }
}

/* ---- a peer that lacks something: plain OpenSSL ---- */

static int accept_all(X509_STORE_CTX *store, void *arg)
{
    (void)store;
    (void)arg;
    return 1;
}

struct plain_peer {
    const struct tls_identity *identity; /* NULL: presents no certificate */
    const char *alpn;                    /* length-prefixed, NULL: none */
    int max_version;
    bool server;
};

static int choose_first(SSL *ssl, const unsigned char **ret, unsigned char *ret_n, const unsigned char *offered, unsigned n,
                        void *arg)
{
    (void)ssl;
    (void)n;
    (void)arg;
    *ret = offered + 1;
    *ret_n = offered[0];
    return SSL_TLSEXT_ERR_OK;
}

/* The problem that our filter reports with such a peer. */
static void meet(const struct plain_peer *peer, const struct tls_identity *ours, struct str peer_der, char problem[200])
{
    SSL_CTX *ctx = SSL_CTX_new(peer->server ? TLS_server_method() : TLS_client_method());
    SSL_CTX_set_security_level(ctx, 0);
    SSL_CTX_set_cert_verify_callback(ctx, accept_all, NULL);
    if (peer->server)
        SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    if (peer->max_version) {
        (void)SSL_CTX_set_min_proto_version(ctx, 0);
        (void)SSL_CTX_set_max_proto_version(ctx, peer->max_version);
    }
    if (peer->identity) {
        assert_int_equal(SSL_CTX_use_certificate(ctx, peer->identity->cert), 1);
        assert_int_equal(SSL_CTX_use_PrivateKey(ctx, peer->identity->key), 1);
    }
    if (peer->alpn && peer->server)
        SSL_CTX_set_alpn_select_cb(ctx, choose_first, NULL);
    else if (peer->alpn)
        (void)SSL_CTX_set_alpn_protos(ctx, (const unsigned char *)peer->alpn, (unsigned)strlen(peer->alpn));
    SSL *ssl = SSL_new(ctx);
    BIO *in = BIO_new(BIO_s_mem()), *out = BIO_new(BIO_s_mem());
    SSL_set_bio(ssl, in, out);
    if (peer->server)
        SSL_set_accept_state(ssl);
    else
        SSL_set_connect_state(ssl);

    struct tls_config config = {ours, peer_der};
    struct tls_context *our_ctx = tls_context_new(&config, !peer->server, &diags);
    struct tls_filter *f = tls_filter_new(our_ctx);
    struct buf plain BUF_AUTO = BUF_INIT(1 << 16);
    (void)tls_filter_receive(f, STR_EMPTY, take_plain, &plain);
    for (int i = 0; i < 5; i++) {
        struct buf *said = tls_filter_output(f);
        if (said->n > 0)
            (void)BIO_write(in, said->p, (int)said->n);
        buf_clear(said);
        (void)SSL_do_handshake(ssl);
        char bytes[20000];
        (void)SSL_read(ssl, bytes, sizeof bytes);
        for (int n; (n = BIO_read(out, bytes, sizeof bytes)) > 0;)
            (void)tls_filter_receive(f, (struct str){bytes, (size_t)n}, take_plain, &plain);
    }
    assert_false(tls_filter_is_ready(f));
    remember(problem, f);
    tls_filter_free(f);
    tls_context_free(our_ctx);
    SSL_free(ssl);
    SSL_CTX_free(ctx);
}

static void peers_that_lack_something_are_refused_in_words(void **state)
{
    (void)state;
    struct tls_identity *a = tls_identity_new(&diags), *b = tls_identity_new(&diags);
    const struct {
        struct plain_peer peer;
        const char *words;
    } cases[] = {
        {{a, NULL, 0, true}, "no ALPN h2: the server did not choose HTTP/2"},
        {{a, NULL, 0, false}, "no ALPN h2: the client did not ask for HTTP/2"},
        {{a, "\010http/1.1", 0, false}, "no ALPN h2"},
        {{NULL, "\002h2", 0, false}, "the client presented no certificate"},
        {{a, "\002h2", TLS1_1_VERSION, false}, "older than 1.2"},
        {{b, "\002h2", 0, false}, "another certificate"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char problem[200];
        meet(&cases[i].peer, b, tls_identity_der(a), problem);
        if (!strstr(problem, cases[i].words))
            fail_msg("case %zu: \"%s\" is not in: %s", i, cases[i].words, problem);
    }
    tls_identity_free(a);
    tls_identity_free(b);
}

static void bytes_that_are_not_tls_are_named(void **state)
{
    (void)state;
    struct tls_identity *a = tls_identity_new(&diags);
    struct tls_config config = {a, tls_identity_der(a)};
    for (int server = 0; server < 2; server++) {
        struct tls_context *ctx = tls_context_new(&config, server, &diags);
        struct tls_filter *f = tls_filter_new(ctx);
        struct buf plain BUF_AUTO = BUF_INIT(1 << 16);
        (void)tls_filter_receive(f, STR_EMPTY, take_plain, &plain);
        assert_false(tls_filter_receive(f, STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), take_plain, &plain));
        if (!strstr(tls_filter_problem(f), "does not speak TLS"))
            fail_msg("%s", tls_filter_problem(f));
        tls_filter_free(f);
        tls_context_free(ctx);
    }
    tls_identity_free(a);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(identity_is_the_certificate_that_plugins_expect),
        TEST(pem_gives_back_the_der),
        TEST(base64_has_no_padding),
        TEST(both_sides_agree_when_certificates_are_those_exchanged),
        TEST(another_certificate_is_refused_by_either_side),
        TEST(a_certificate_signed_by_the_exchanged_one_is_refused),
        TEST(keys_of_other_kinds_are_accepted),
        TEST(peers_that_lack_something_are_refused_in_words),
        TEST(bytes_that_are_not_tls_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
