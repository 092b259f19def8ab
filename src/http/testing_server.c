#include "http/testing_server.h"

#include "base/lock.h"

#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_CONNECTIONS = 256, MAX_REQUEST = 4 << 20, MAX_ANSWER = 64 << 20, MAX_HEADERS = 64 };

struct connection {
    struct testing_server *server;
    pthread_t thread;
    int fd, number;
    SSL *ssl;
};

struct testing_server {
    testing_handler *handler;
    void *ctx;
    int fd;
    pthread_t thread;
    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t stopped;
    bool stopping;
    struct connection connections[MAX_CONNECTIONS];
    int n_connections, n_requests;
    SSL_CTX *tls;
    char url[96], host[64], ca[64];
};

/* TLS */

static SSL_CTX *make_tls(struct testing_server *s, bool expired)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *cert = X509_new();
    assert(key && cert);
    X509_NAME *name = X509_get_subject_name(cert);
    (void)X509_set_version(cert, X509_VERSION_3);
    (void)ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    (void)X509_gmtime_adj(X509_getm_notBefore(cert), -7200);
    (void)X509_gmtime_adj(X509_getm_notAfter(cert), expired ? -3600 : 3600);
    (void)X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1, 0);
    (void)X509_set_issuer_name(cert, name);
    (void)X509_set_pubkey(cert, key);
    X509_EXTENSION *names = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name, "IP:127.0.0.1");
    (void)X509_add_ext(cert, names, -1);
    X509_EXTENSION_free(names);
    (void)X509_sign(cert, key, EVP_sha256());
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());
    assert(tls && SSL_CTX_use_certificate(tls, cert) == 1 && SSL_CTX_use_PrivateKey(tls, key) == 1);
    (void)snprintf(s->ca, sizeof s->ca, "/tmp/terrane-test-XXXXXX");
    int fd = mkstemp(s->ca);
    FILE *file = fdopen(fd, "w");
    assert(file);
    (void)PEM_write_X509(file, cert);
    (void)fclose(file);
    X509_free(cert);
    EVP_PKEY_free(key);
    return tls;
}

/* Bytes */

static ssize_t receive(struct connection *c, char *room, size_t n)
{
    return c->ssl ? SSL_read(c->ssl, room, (int)n) : recv(c->fd, room, n, 0);
}

static bool send_all(struct connection *c, struct str bytes)
{
    while (bytes.n > 0) {
        ssize_t n = c->ssl ? SSL_write(c->ssl, bytes.p, (int)bytes.n) : send(c->fd, bytes.p, bytes.n, MSG_NOSIGNAL);
        if (n <= 0)
            return false;
        bytes = str_slice(bytes, (size_t)n, bytes.n);
    }
    return true;
}

/* Reads until at least n bytes are in the buffer. */
static bool fill(struct connection *c, struct buf *in, size_t n)
{
    while (in->n < n) {
        char *room = buf_room(in, 16 << 10);
        ssize_t got = room ? receive(c, room, 16 << 10) : 0;
        if (got <= 0)
            return false;
        buf_grew(in, (size_t)got);
    }
    return true;
}

static bool read_head(struct connection *c, struct buf *in, size_t *ret_end)
{
    for (size_t have = 0;;) {
        for (; have + 4 <= in->n; have++)
            if (memcmp(in->p + have, "\r\n\r\n", 4) == 0) {
                *ret_end = have + 4;
                return true;
            }
        if (!fill(c, in, in->n + 1))
            return false;
    }
}

struct str testing_header(const struct testing_request *request, const char *name)
{
    for (size_t i = 0; i < request->n_headers; i++)
        if (request->headers[i].name.n == strlen(name) && strncasecmp(request->headers[i].name.p, name, strlen(name)) == 0)
            return request->headers[i].value;
    return STR_EMPTY;
}

static void parse_head(struct arena *a, struct str head, struct testing_request *ret)
{
    struct http_header *headers = arena_make_n(a, struct http_header, MAX_HEADERS);
    struct str line = str_cut(&head, '\n');
    ret->method = str_cut(&line, ' ');
    ret->target = str_cut(&line, ' ');
    ret->head = head;
    while (head.n > 0 && ret->n_headers < MAX_HEADERS) {
        struct str value = str_cut(&head, '\n');
        struct str name = str_cut(&value, ':');
        if (value.n > 0)
            headers[ret->n_headers++] = (struct http_header){name, str_trim(value)};
    }
    ret->headers = headers;
}

static void wait_for_stop(struct testing_server *s)
{
    mutex_lock(&s->lock);
    while (!s->stopping)
        (void)cond_wait(&s->stopped, &s->lock, NO_DEADLINE);
    mutex_unlock(&s->lock);
}

static bool send_chunks(struct connection *c, const struct testing_answer *answer)
{
    bool ok = send_all(c, arena_printf(answer->arena, "HTTP/1.1 %d Status\r\nTransfer-Encoding: chunked\r\n%s\r\n",
                                       answer->status, answer->headers ? answer->headers : ""));
    for (size_t i = 0; i < answer->n_chunks && ok; i++)
        ok = send_all(c, arena_printf(answer->arena, "%zx\r\n", answer->chunks[i].n)) && send_all(c, answer->chunks[i]) &&
             send_all(c, STR("\r\n"));
    if (answer->hold)
        wait_for_stop(c->server);
    return ok && !answer->cut && !answer->hold && send_all(c, STR("0\r\n\r\n"));
}

static bool send_answer(struct connection *c, const struct testing_answer *answer)
{
    if (answer->drop)
        return false;
    if (answer->chunks)
        return send_chunks(c, answer);
    if (answer->raw.n > 0)
        return send_all(c, answer->raw) && false;
    struct str head =
        arena_printf(answer->arena, "HTTP/1.1 %d Status\r\nContent-Length: %zu\r\nContent-Type: %s\r\n%s\r\n", answer->status,
                     answer->body.n + answer->more_than, answer->content_type ? answer->content_type : "text/plain",
                     answer->headers ? answer->headers : "");
    struct buf all BUF_AUTO = BUF_INIT(MAX_ANSWER);
    buf_add(&all, head);
    buf_add(&all, answer->body); /* in one piece: two writes would be delayed by Nagle's algorithm */
    return send_all(c, buf_str(&all)) && answer->more_than == 0;
}

static bool serve_one(struct connection *c, struct buf *in)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct testing_request request = {.connection = c->number};
    struct testing_answer answer = {.arena = a, .status = 200};
    size_t end;
    if (!read_head(c, in, &end))
        return false;
    parse_head(a, arena_str(a, (struct str){in->p, end}), &request);
    int64_t length = 0;
    (void)str_to_i64(testing_header(&request, "content-length"), &length);
    if (!fill(c, in, end + (size_t)length))
        return false;
    request.body = arena_str(a, (struct str){in->p + end, (size_t)length});
    buf_consume(in, end + (size_t)length);
    mutex_lock(&c->server->lock);
    request.number = ++c->server->n_requests;
    mutex_unlock(&c->server->lock);
    c->server->handler(c->server->ctx, &request, &answer);
    if (answer.hang)
        wait_for_stop(c->server);
    return !answer.hang && send_answer(c, &answer);
}

static void *serve_connection(void *arg)
{
    struct connection *c = arg;
    struct buf in = BUF_INIT(MAX_REQUEST);
    if (!c->ssl || SSL_accept(c->ssl) == 1)
        while (serve_one(c, &in))
            ;
    buf_free(&in);
    (void)shutdown(c->fd, SHUT_RDWR); /* closed when the server stops, so that the number is not reused meanwhile */
    return NULL;
}

static void *accept_connections(void *arg)
{
    struct testing_server *s = arg;
    for (;;) {
        int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
        if (fd < 0 && errno == EINTR)
            continue;
        if (fd < 0)
            return NULL;
        mutex_lock(&s->lock);
        if (s->stopping || s->n_connections == MAX_CONNECTIONS) {
            (void)close(fd);
        } else {
            struct connection *c = &s->connections[s->n_connections++];
            *c = (struct connection){.server = s, .fd = fd, .number = s->n_connections};
            if (s->tls) {
                c->ssl = SSL_new(s->tls);
                (void)SSL_set_fd(c->ssl, fd);
            }
            (void)pthread_create(&c->thread, NULL, serve_connection, c);
        }
        mutex_unlock(&s->lock);
    }
}

struct testing_server *testing_server_start(testing_handler *handler, void *ctx, enum testing_tls tls)
{
    struct testing_server *s = calloc(1, sizeof *s);
    assert(s);
    (void)signal(SIGPIPE, SIG_IGN); /* raised by SSL_write() */
    s->handler = handler;
    s->ctx = ctx;
    mutex_init(&s->lock);
    cond_init(&s->stopped);
    if (tls)
        s->tls = make_tls(s, tls == TESTING_TLS_EXPIRED);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof address;
    s->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(s->fd, (struct sockaddr *)&address, n) != 0 || listen(s->fd, 64) != 0 ||
        getsockname(s->fd, (struct sockaddr *)&address, &n) != 0)
        abort();
    (void)snprintf(s->host, sizeof s->host, "127.0.0.1:%d", ntohs(address.sin_port));
    (void)snprintf(s->url, sizeof s->url, "%s://%s", tls ? "https" : "http", s->host);
    (void)pthread_create(&s->thread, NULL, accept_connections, s);
    return s;
}

void testing_server_stop(struct testing_server *s)
{
    mutex_lock(&s->lock);
    s->stopping = true;
    cond_broadcast(&s->stopped);
    (void)shutdown(s->fd, SHUT_RDWR);
    for (int i = 0; i < s->n_connections; i++)
        (void)shutdown(s->connections[i].fd, SHUT_RDWR);
    mutex_unlock(&s->lock);
    (void)pthread_join(s->thread, NULL);
    for (int i = 0; i < s->n_connections; i++) {
        (void)pthread_join(s->connections[i].thread, NULL);
        SSL_free(s->connections[i].ssl);
        (void)close(s->connections[i].fd);
    }
    (void)close(s->fd);
    SSL_CTX_free(s->tls);
    if (s->ca[0] != '\0')
        (void)unlink(s->ca);
    cond_destroy(&s->stopped);
    mutex_destroy(&s->lock);
    free(s);
}

const char *testing_server_url(const struct testing_server *s)
{
    return s->url;
}

const char *testing_server_host(const struct testing_server *s)
{
    return s->host;
}

const char *testing_server_ca(const struct testing_server *s)
{
    return s->ca;
}

int testing_server_connections(struct testing_server *s)
{
    mutex_lock(&s->lock);
    int n = s->n_connections;
    mutex_unlock(&s->lock);
    return n;
}

int testing_server_requests(struct testing_server *s)
{
    mutex_lock(&s->lock);
    int n = s->n_requests;
    mutex_unlock(&s->lock);
    return n;
}
