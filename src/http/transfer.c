#include "http/client_private.h"

#include <netinet/tcp.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

/* How long it takes to notice that the peer of a connection has silently disappeared. */
enum { KEEPALIVE_IDLE_S = 30, KEEPALIVE_EACH_S = 10, KEEPALIVE_COUNT = 3, UNANSWERED_MS = 60 * 1000 };

/* On the loop's thread */

static size_t take_body(char *bytes, size_t size, size_t n, void *arg)
{
    struct transfer *t = arg;
    t->too_large = !t->take(t, (struct str){bytes, size * n});
    return t->too_large ? 0 : size * n;
}

static size_t take_header(char *bytes, size_t size, size_t n, void *arg)
{
    struct transfer *t = arg;
    struct str line = {bytes, size * n};
    if (str_starts(line, STR("HTTP/")))
        buf_clear(&t->head); /* drop the headers of an interim response such as 100 */
    else
        buf_add(&t->head, line);
    t->too_large = !buf_ok(&t->head);
    return t->too_large ? 0 : size * n;
}

/* Socket options that libcurl's TCP keepalive settings do not cover. They are optional: errors are ignored. */
static int set_socket_options(void *arg, curl_socket_t socket, curlsocktype purpose)
{
    (void)arg, (void)purpose;
    int count = KEEPALIVE_COUNT;
    unsigned unanswered = UNANSWERED_MS;
    (void)setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof count);
    (void)setsockopt(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, &unanswered, sizeof unanswered);
    return CURL_SOCKOPT_OK;
}

static size_t give_body(char *room, size_t size, size_t n, void *arg)
{
    struct transfer *t = arg;
    struct str part = str_slice(t->unsent, 0, size * n);
    memcpy(room, part.p, part.n);
    t->unsent = str_slice(t->unsent, part.n, t->unsent.n);
    return part.n;
}

static int refuse_seek(void *arg, curl_off_t offset, int origin)
{
    (void)arg, (void)offset, (void)origin;
    return CURL_SEEKFUNC_FAIL;
}

/* On its owner's thread */

/*
 * When a reused connection turns out to be dead, libcurl resends any request, and no option prevents that. It cannot resend once
 * it has sent a part of a body that it cannot rewind.
 */
static void set_body_once(struct transfer *t, struct str body)
{
    t->unsent = body;
    CURL_SET(t->curl, t->easy, CURLOPT_READFUNCTION, give_body);
    CURL_SET(t->curl, t->easy, CURLOPT_READDATA, t);
    CURL_SET(t->curl, t->easy, CURLOPT_SEEKFUNCTION, refuse_seek);
}

static void add_header(struct transfer *t, struct str name, struct str value)
{
    struct buf line = BUF_INIT(HTTP_MAX_HEADERS);
    (void)buf_room(&line, name.n + value.n + 3);
    buf_add(&line, name);
    /* libcurl omits an empty header unless it is written with a semicolon. */
    if (value.n > 0) {
        buf_addz(&line, ": ");
        buf_add(&line, value);
    } else {
        buf_addc(&line, ';');
    }
    buf_addc(&line, '\0');
    struct curl_slist *longer = t->curl->slist_append(t->headers, line.p);
    if (!longer)
        abort();
    t->headers = longer;
    buf_wipe(&line);
}

/* A line break or NUL would start another header or truncate this one. */
static bool headers_are_clean(const struct http_request *r)
{
    for (size_t i = 0; i < r->n_headers; i++) {
        const struct http_header *h = &r->headers[i];
        if (h->name.n == 0 || memchr(h->name.p, ':', h->name.n))
            return false;
        for (size_t k = 0; k < h->value.n; k++)
            if (h->value.p[k] == '\n' || h->value.p[k] == '\r' || h->value.p[k] == '\0')
                return false;
    }
    return true;
}

static void append(const struct lazy_curl *curl, struct curl_slist **list, const char *line)
{
    struct curl_slist *longer = curl->slist_append(*list, line);
    if (!longer)
        abort();
    *list = longer;
}

static void set_headers(struct transfer *t, const struct http_request *r)
{
    for (size_t i = 0; i < r->n_headers; i++)
        add_header(t, r->headers[i].name, r->headers[i].value);
    /* Removes the headers that libcurl adds by itself. */
    static const char *const unwanted[] = {"Expect:", "Accept:", "Content-Type:"};
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
        struct str name = {unwanted[i], strlen(unwanted[i]) - 1};
        if (!http_header_find(r->headers, r->n_headers, name))
            append(t->curl, &t->headers, unwanted[i]);
    }
    CURL_SET(t->curl, t->easy, CURLOPT_HTTPHEADER, t->headers);
}

static bool host_is_local(const char *host)
{
    return strcasecmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 || strcmp(host, "[::1]") == 0;
}

static void set_proxy(struct transfer *t, const struct http_request *r, const char *scheme, const char *host)
{
    const struct http *http = t->http;
    const char *proxy = strcmp(scheme, "https") == 0 ? http->https_proxy : http->http_proxy, *none_for = http->no_proxy;
    if (r->proxy) {
        proxy = r->proxy; /* set for this request: no exemptions apply */
        none_for = NULL;
    } else if (r->direct || host_is_local(host)) {
        proxy = NULL;
        none_for = "*";
    }
    CURL_SET(t->curl, t->easy, CURLOPT_PROXY, proxy ? proxy : "");
    CURL_SET(t->curl, t->easy, CURLOPT_NOPROXY, none_for ? none_for : "");
}

/*
 * libcurl checks the certificate against the host name of the URL. So the URL gets the server name, the connection goes to the
 * original host, and the Host header has the original host.
 */
static bool set_server_name(struct transfer *t, CURLU *parts, const char *name, const char *host)
{
    char *port = NULL, *url = NULL;
    bool ok = t->curl->url_get(parts, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK &&
              t->curl->url_set(parts, CURLUPART_HOST, name, 0) == CURLUE_OK &&
              t->curl->url_get(parts, CURLUPART_URL, &url, 0) == CURLUE_OK;
    if (ok) {
        struct buf line BUF_AUTO = BUF_INIT(HTTP_MAX_HEADERS);
        buf_printf(&line, "%s:%s:%s:%s", name, port, host, port);
        buf_addc(&line, '\0');
        append(t->curl, &t->connect_to, line.p);
        buf_clear(&line);
        buf_printf(&line, "Host: %s:%s", host, port);
        buf_addc(&line, '\0');
        append(t->curl, &t->headers, line.p);
        CURL_SET(t->curl, t->easy, CURLOPT_CONNECT_TO, t->connect_to);
        CURL_SET(t->curl, t->easy, CURLOPT_URL, url);
    }
    t->curl->free(port);
    t->curl->free(url);
    return ok;
}

/* False when the URL is not valid. */
static bool set_url(struct transfer *t, const struct http_request *r)
{
    char *url = strndup(r->url.p, r->url.n);
    CURLU *parts = t->curl->url();
    if (!url || !parts)
        abort();
    char *host = NULL, *scheme = NULL;
    bool ok = strlen(url) == r->url.n && t->curl->url_set(parts, CURLUPART_URL, url, CURLU_PATH_AS_IS) == CURLUE_OK &&
              t->curl->url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
              t->curl->url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
              (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    if (ok) {
        CURL_SET(t->curl, t->easy, CURLOPT_URL, url);
        set_proxy(t, r, scheme, host);
        if (r->tls && r->tls->server_name)
            ok = set_server_name(t, parts, r->tls->server_name, host);
    }
    t->curl->free(host);
    t->curl->free(scheme);
    t->curl->url_cleanup(parts);
    free(url);
    return ok;
}

static void set_blob(struct transfer *t, CURLoption option, struct str pem)
{
    struct curl_blob blob = {.data = (void *)(uintptr_t)pem.p, .len = pem.n, .flags = CURL_BLOB_COPY};
    if (pem.n > 0)
        (void)t->curl->easy_setopt(t->easy, option, &blob);
}

static void set_trust(struct transfer *t, const struct http_tls *tls)
{
    const struct http *http = t->http;
    long verify = (tls ? tls->insecure : http->insecure) ? 0 : 1;
    CURL_SET(t->curl, t->easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    CURL_SET(t->curl, t->easy, CURLOPT_SSL_VERIFYPEER, verify);
    CURL_SET(t->curl, t->easy, CURLOPT_SSL_VERIFYHOST, verify * 2);
    if (!tls) {
        CURL_SET(t->curl, t->easy, CURLOPT_PROXY_SSL_VERIFYPEER, verify);
        CURL_SET(t->curl, t->easy, CURLOPT_PROXY_SSL_VERIFYHOST, verify * 2);
        if (http->ca_file) {
            CURL_SET(t->curl, t->easy, CURLOPT_CAINFO, http->ca_file);
            CURL_SET(t->curl, t->easy, CURLOPT_PROXY_CAINFO, http->ca_file);
        }
        return;
    }
    if (tls->ca.n > 0) {
        set_blob(t, CURLOPT_CAINFO_BLOB, tls->ca);
        (void)t->curl->easy_setopt(t->easy, CURLOPT_CAPATH, (char *)NULL); /* only these, not the system's CAs as well */
    }
    set_blob(t, CURLOPT_SSLCERT_BLOB, tls->certificate);
    set_blob(t, CURLOPT_SSLKEY_BLOB, tls->key);
}

static void set_method(struct transfer *t, const struct http_request *r)
{
    bool get = strcmp(r->method, "GET") == 0;
    if (!get || r->body.n > 0) {
        CURL_SET(t->curl, t->easy, CURLOPT_POST, 1L);
        CURL_SET(t->curl, t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n);
        if (r->once && r->body.n > 0)
            set_body_once(t, r->body);
        else
            CURL_SET(t->curl, t->easy, CURLOPT_POSTFIELDS, r->body.n > 0 ? r->body.p : ""); /* not copied */
    }
    if (strcmp(r->method, "POST") != 0)
        CURL_SET(t->curl, t->easy, CURLOPT_CUSTOMREQUEST, r->method);
}

static long milliseconds(int64_t ns, int64_t fallback_s)
{
    int64_t ms = ns > 0 ? (ns + NS_PER_MS - 1) / NS_PER_MS : fallback_s * 1000;
    return ms > 0x7fffffff ? 0x7fffffff : (long)ms;
}

static void set_connection(struct transfer *t)
{
    CURL_SET(t->curl, t->easy, CURLOPT_TCP_KEEPALIVE, 1L);
    if (!t->http->multiplex) {
        CURL_SET(t->curl, t->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
        return;
    }
    CURL_SET(t->curl, t->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_2TLS);
    CURL_SET(t->curl, t->easy, CURLOPT_PIPEWAIT, 1L); /* wait for a connection that is being made, do not open another */
    CURL_SET(t->curl, t->easy, CURLOPT_TCP_KEEPIDLE, (long)KEEPALIVE_IDLE_S);
    CURL_SET(t->curl, t->easy, CURLOPT_TCP_KEEPINTVL, (long)KEEPALIVE_EACH_S);
    CURL_SET(t->curl, t->easy, CURLOPT_SOCKOPTFUNCTION, set_socket_options);
}

static void set_rest(struct transfer *t, const struct http_request *r)
{
    CURL_SET(t->curl, t->easy, CURLOPT_PRIVATE, t);
    CURL_SET(t->curl, t->easy, CURLOPT_ERRORBUFFER, t->error);
    CURL_SET(t->curl, t->easy, CURLOPT_WRITEFUNCTION, take_body);
    CURL_SET(t->curl, t->easy, CURLOPT_WRITEDATA, t);
    CURL_SET(t->curl, t->easy, CURLOPT_HEADERFUNCTION, take_header);
    CURL_SET(t->curl, t->easy, CURLOPT_HEADERDATA, t);
    CURL_SET(t->curl, t->easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    CURL_SET(t->curl, t->easy, CURLOPT_NOSIGNAL, 1L);
    CURL_SET(t->curl, t->easy, CURLOPT_QUICK_EXIT, 1L);
    CURL_SET(t->curl, t->easy, CURLOPT_PATH_AS_IS, 1L);
    CURL_SET(t->curl, t->easy, CURLOPT_PROTOCOLS_STR, "http,https");
    CURL_SET(t->curl, t->easy, CURLOPT_FOLLOWLOCATION, 0L);
    CURL_SET(t->curl, t->easy, CURLOPT_USERAGENT, t->http->user_agent);
    if (r->sink) {
        CURL_SET(t->curl, t->easy, CURLOPT_LOW_SPEED_LIMIT, 1L);
        CURL_SET(t->curl, t->easy, CURLOPT_LOW_SPEED_TIME, (long)HTTP_STALL_S);
    }
    CURL_SET(t->curl, t->easy, CURLOPT_TIMEOUT_MS,
             r->sink && r->timeout_ns == 0 ? 0 : milliseconds(r->timeout_ns, HTTP_TIMEOUT_S));
    CURL_SET(t->curl, t->easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(r->connect_ns, HTTP_CONNECT_S));
}

bool transfer_prepare(struct transfer *t, struct http *http, const struct http_request *request)
{
    t->http = http;
    t->curl = http->curl;
    t->head = BUF_INIT(HTTP_MAX_HEADERS);
    t->max_body = request->max_body > 0 ? request->max_body : HTTP_MAX_BODY;
    t->easy = t->curl->easy_init();
    if (!t->easy)
        abort();
    if (!headers_are_clean(request) || !set_url(t, request))
        return false;
    set_method(t, request);
    set_headers(t, request);
    set_trust(t, request->tls);
    set_connection(t);
    set_rest(t, request);
    return true;
}

void transfer_clear(struct transfer *t)
{
    t->curl->easy_cleanup(t->easy);
    for (struct curl_slist *h = t->headers; h; h = h->next)
        OPENSSL_cleanse(h->data, strlen(h->data));
    t->curl->slist_free_all(t->headers);
    t->curl->slist_free_all(t->connect_to);
    buf_wipe(&t->head);
}

/* What came of it */

enum http_result transfer_result(const struct transfer *t)
{
    if (t->aborted)
        return HTTP_CANCELLED;
    if (t->too_large)
        return HTTP_TOO_LARGE;
    switch (t->code) {
    case CURLE_OK:
        return HTTP_OK;
    case CURLE_OPERATION_TIMEDOUT:
        return HTTP_TIMEOUT;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return HTTP_NO_HOST;
    case CURLE_COULDNT_CONNECT:
        return HTTP_REFUSED;
    case CURLE_SSL_CONNECT_ERROR:
        return HTTP_TLS;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return HTTP_UNTRUSTED;
    case CURLE_URL_MALFORMAT:
        return HTTP_BAD_URL;
    default: /* also CURLE_UNSUPPORTED_PROTOCOL, which here means that the response is not HTTP */
        return HTTP_BROKEN;
    }
}

struct str transfer_why(struct arena *a, const struct transfer *t, enum http_result result)
{
    switch (result) {
    case HTTP_CANCELLED:
        return STR("cancelled");
    case HTTP_TOO_LARGE:
        return arena_printf(a, "the answer has more than %zu bytes", t->max_body);
    case HTTP_BAD_URL:
        return STR("not an http or https URL, or a header that cannot be sent");
    default:
        if (t->code == CURLE_SEND_FAIL_REWIND) /* libcurl tried to resend the request (set_body_once()) */
            return STR("the connection ended without an answer");
        if (strncmp(t->error, "Unsupported proxy", 17) == 0) /* the rest is the proxy's URL, maybe with a password */
            return STR("the address of the proxy is not valid: expected http://HOST:PORT, https://HOST:PORT or "
                       "socks5://HOST:PORT");
        return arena_str(a, str_trim(str_of(t->error[0] != '\0' ? t->error : t->curl->easy_strerror(t->code))));
    }
}

void transfer_read_head(struct arena *a, const struct transfer *t, struct http_response *ret)
{
    struct str text = buf_copy(&t->head, a);
    size_t most = 0;
    for (size_t i = 0; i < text.n; i++)
        most += text.p[i] == '\n';
    struct http_header *headers = arena_make_n(a, struct http_header, most + 1);
    size_t n = 0;
    while (text.n > 0) {
        struct str value = str_cut(&text, '\n');
        struct str name = str_trim(str_cut(&value, ':'));
        if (name.n > 0)
            headers[n++] = (struct http_header){name, str_trim(value)};
    }
    ret->headers = headers;
    ret->n_headers = n;
    (void)t->curl->easy_getinfo(t->easy, CURLINFO_RESPONSE_CODE, &ret->status);
}
