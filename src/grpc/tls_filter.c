/*
 * OpenSSL uses our own BIO: reads take from the bytes given to tls_filter_receive(), writes append to the output. So it never
 * blocks, never uses a socket and never raises SIGPIPE.
 *
 * Trust does not depend on certificate chains: the peer's leaf must be, byte for byte, the certificate that was exchanged before
 * the connection. (Verifying a chain would not be enough: the exchanged certificate is a CA and could sign others.) OpenSSL still
 * proves that the peer has the private key.
 */
#include "grpc/tls_filter.h"

#include "grpc/tls_private.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    OUTPUT_MAX = 64 << 20, /* the transport keeps it far below */
    PLAIN_SIZE = 16 << 10, /* one record */
    PROBLEM_SIZE = 200,
};

struct tls_context {
    SSL_CTX *ssl;
    BIO_METHOD *method;
    bool server;
    struct buf peer_der;
};

struct tls_filter {
    struct tls_context *ctx;
    SSL *ssl;
    struct str in; /* not read by OpenSSL yet */
    struct buf out;
    bool ready;
    bool wrong_certificate;
    char problem[PROBLEM_SIZE];
    char plain[PLAIN_SIZE];
};

static const unsigned char alpn_h2[] = {2, 'h', '2'};

/* ---- the BIO ---- */

static int bio_read(BIO *bio, char *to, size_t n, size_t *ret_n)
{
    struct tls_filter *f = BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    if (f->in.n == 0) {
        BIO_set_retry_read(bio);
        return 0;
    }
    if (n > f->in.n)
        n = f->in.n;
    memcpy(to, f->in.p, n);
    f->in = str_slice(f->in, n, f->in.n);
    *ret_n = n;
    return 1;
}

static int bio_write(BIO *bio, const char *from, size_t n, size_t *ret_n)
{
    struct tls_filter *f = BIO_get_data(bio);
    buf_add(&f->out, (struct str){from, n});
    *ret_n = n;
    return buf_ok(&f->out);
}

static long bio_ctrl(BIO *bio, int command, long number, void *pointer)
{
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static BIO_METHOD *make_method(void)
{
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "terrane");
    if (method && (BIO_meth_set_read_ex(method, bio_read) != 1 || BIO_meth_set_write_ex(method, bio_write) != 1 ||
                   BIO_meth_set_ctrl(method, bio_ctrl) != 1)) {
        BIO_meth_free(method);
        method = NULL;
    }
    return method;
}

/* ---- the context ---- */

/* Replaces OpenSSL's verification of certificate chains. */
static int verify_peer(X509_STORE_CTX *store, void *arg)
{
    struct tls_context *ctx = arg;
    SSL *ssl = X509_STORE_CTX_get_ex_data(store, SSL_get_ex_data_X509_STORE_CTX_idx());
    struct tls_filter *f = SSL_get_app_data(ssl);
    unsigned char *der = NULL;
    X509 *leaf = X509_STORE_CTX_get0_cert(store);
    int n = leaf ? i2d_X509(leaf, &der) : -1;
    bool same = n > 0 && str_eq((struct str){(const char *)der, (size_t)n}, buf_str(&ctx->peer_der));
    OPENSSL_free(der);
    if (same)
        return 1;
    f->wrong_certificate = true;
    X509_STORE_CTX_set_error(store, X509_V_ERR_CERT_REJECTED);
    return 0;
}

/* Server: selects h2 from the client's ALPN list, or refuses. */
static int select_h2(SSL *ssl, const unsigned char **ret, unsigned char *ret_n, const unsigned char *offered, unsigned n,
                     void *arg)
{
    (void)ssl;
    (void)arg;
    for (unsigned i = 0; i < n; i += 1u + offered[i]) {
        if (offered[i] == 2 && i + 2 < n && memcmp(offered + i, alpn_h2, sizeof alpn_h2) == 0) {
            *ret = offered + i + 1;
            *ret_n = 2;
            return SSL_TLSEXT_ERR_OK;
        }
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

static bool set_up(struct tls_context *ctx, const struct tls_config *config)
{
    SSL_CTX *ssl = ctx->ssl;
    (void)SSL_CTX_set_options(ssl, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    (void)SSL_CTX_set_session_cache_mode(ssl, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_verify(ssl, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    SSL_CTX_set_cert_verify_callback(ssl, verify_peer, ctx);
    if (ctx->server)
        SSL_CTX_set_alpn_select_cb(ssl, select_h2, NULL);
    else if (SSL_CTX_set_alpn_protos(ssl, alpn_h2, sizeof alpn_h2) != 0)
        return false;
    return SSL_CTX_set_min_proto_version(ssl, TLS1_2_VERSION) == 1 && SSL_CTX_set_num_tickets(ssl, 0) == 1 &&
           SSL_CTX_use_certificate(ssl, config->identity->cert) == 1 && SSL_CTX_use_PrivateKey(ssl, config->identity->key) == 1;
}

struct tls_context *tls_context_new(const struct tls_config *config, bool server, struct diags *diags)
{
    ERR_clear_error();
    struct tls_context *ctx = calloc(1, sizeof *ctx);
    bool ok = ctx != NULL;
    if (ok) {
        ctx->server = server;
        ctx->peer_der = BUF_INIT(config->peer_der.n);
        buf_add(&ctx->peer_der, config->peer_der);
        ok = (ctx->method = make_method()) && (ctx->ssl = SSL_CTX_new(server ? TLS_server_method() : TLS_client_method())) &&
             set_up(ctx, config);
    }
    if (ok)
        return ctx;
    (void)diags_fail(diags, "Cannot set up TLS", "OpenSSL: %s.", tls_library_error());
    tls_context_free(ctx);
    return NULL;
}

void tls_context_free(struct tls_context *ctx)
{
    if (!ctx)
        return;
    SSL_CTX_free(ctx->ssl);
    BIO_meth_free(ctx->method);
    buf_free(&ctx->peer_der);
    free(ctx);
}

/* ---- the filter ---- */

/* Clears the thread's error queue, which SSL_get_error() looks at. Checking it first is faster than always clearing it. */
static void forget_errors(void)
{
    if (ERR_peek_error() != 0)
        ERR_clear_error();
}

static _Noreturn void out_of_memory(void)
{
    (void)fputs("terrane: out of memory\n", stderr);
    abort();
}

struct tls_filter *tls_filter_new(struct tls_context *ctx)
{
    ERR_clear_error();
    struct tls_filter *f = calloc(1, sizeof *f);
    BIO *bio = BIO_new(ctx->method);
    SSL *ssl = SSL_new(ctx->ssl);
    if (!f || !bio || !ssl)
        out_of_memory();
    f->ctx = ctx;
    f->ssl = ssl;
    f->in = STR_EMPTY;
    f->out = BUF_INIT(OUTPUT_MAX);
    BIO_set_data(bio, f);
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    SSL_set_app_data(ssl, f);
    if (ctx->server) {
        SSL_set_accept_state(ssl);
    } else {
        SSL_set_connect_state(ssl);
        if (SSL_set_tlsext_host_name(ssl, "localhost") != 1)
            out_of_memory();
    }
    return f;
}

void tls_filter_free(struct tls_filter *f)
{
    if (!f)
        return;
    SSL_free(f->ssl);
    explicit_bzero(f->plain, sizeof f->plain);
    buf_free(&f->out);
    free(f);
}

bool tls_filter_is_ready(const struct tls_filter *f)
{
    return f->ready;
}

struct buf *tls_filter_output(struct tls_filter *f)
{
    return &f->out;
}

const char *tls_filter_problem(const struct tls_filter *f)
{
    return f->problem;
}

static bool fail(struct tls_filter *f, const char *words)
{
    if (f->problem[0] == '\0')
        (void)snprintf(f->problem, sizeof f->problem, "%s", words);
    return false;
}

/* Describes OpenSSL's error, including which side refused what. */
static bool explain(struct tls_filter *f, int ssl_error)
{
    const char *peer = f->ctx->server ? "client" : "server";
    unsigned long code = ERR_peek_error();
    int reason = ERR_GET_LIB(code) == ERR_LIB_SSL ? ERR_GET_REASON(code) : 0;
    char text[PROBLEM_SIZE];
    if (ssl_error == SSL_ERROR_ZERO_RETURN)
        return false; /* an orderly end */
    if (f->wrong_certificate)
        (void)snprintf(text, sizeof text, "the %s presented another certificate than the one exchanged beforehand", peer);
    else if (reason == SSL_R_PEER_DID_NOT_RETURN_A_CERTIFICATE)
        (void)snprintf(text, sizeof text, "the %s presented no certificate", peer);
    else if (reason == SSL_R_NO_APPLICATION_PROTOCOL || reason == SSL_AD_REASON_OFFSET + SSL_AD_NO_APPLICATION_PROTOCOL)
        (void)snprintf(text, sizeof text, "no ALPN h2: the %s does not agree on HTTP/2", peer);
    else if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST)
        (void)snprintf(text, sizeof text, "the %s does not speak TLS", peer);
    else if (reason == SSL_R_UNSUPPORTED_PROTOCOL)
        (void)snprintf(text, sizeof text, "the %s speaks only TLS older than 1.2", peer);
    else if (reason > SSL_AD_REASON_OFFSET)
        (void)snprintf(text, sizeof text, "the %s refused our handshake or certificate: TLS alert \"%s\"", peer,
                       SSL_alert_desc_string_long(reason - SSL_AD_REASON_OFFSET));
    else
        (void)snprintf(text, sizeof text, "TLS: %s", tls_library_error());
    return fail(f, text);
}

/* True when the handshake is done or needs more bytes. */
static bool shake_hands(struct tls_filter *f)
{
    if (f->ready)
        return true;
    int result = SSL_do_handshake(f->ssl);
    if (result != 1) {
        int error = SSL_get_error(f->ssl, result);
        return error == SSL_ERROR_WANT_READ || explain(f, error);
    }
    const unsigned char *protocol;
    unsigned n;
    SSL_get0_alpn_selected(f->ssl, &protocol, &n);
    if (n != 2 || memcmp(protocol, "h2", 2) != 0)
        return fail(f, f->ctx->server ? "no ALPN h2: the client did not ask for HTTP/2"
                                      : "no ALPN h2: the server did not choose HTTP/2");
    f->ready = true;
    return true;
}

bool tls_filter_receive(struct tls_filter *f, struct str cipher, bool (*plain)(void *ctx, struct str bytes), void *ctx)
{
    forget_errors();
    f->in = cipher;
    if (!shake_hands(f))
        return false;
    while (f->ready && (f->in.n > 0 || SSL_has_pending(f->ssl))) {
        size_t n;
        int result = SSL_read_ex(f->ssl, f->plain, sizeof f->plain, &n);
        if (result != 1) {
            int error = SSL_get_error(f->ssl, result);
            return error == SSL_ERROR_WANT_READ || explain(f, error);
        }
        if (!plain(ctx, (struct str){f->plain, n}))
            return false;
    }
    return true;
}

bool tls_filter_send(struct tls_filter *f, struct str plain)
{
    forget_errors();
    size_t n;
    if (plain.n == 0)
        return true;
    int result = SSL_write_ex(f->ssl, plain.p, plain.n, &n);
    return result == 1 || explain(f, SSL_get_error(f->ssl, result));
}

void tls_filter_shut_down(struct tls_filter *f)
{
    ERR_clear_error();
    if (f->ready)
        (void)SSL_shutdown(f->ssl);
    ERR_clear_error();
}
