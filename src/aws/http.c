/*
 * A transfer belongs to the worker that waits for it and lives on that worker's stack. The worker prepares the libcurl handle and
 * posts it to the loop; there it joins the multi handle, whose sockets and timer are watched by libuv; when it is over (or
 * cancelled) the loop takes it out again and signals. From then on it is the worker's alone.
 *
 * - The cancel watch may post an abort that is still queued when the transfer has ended by itself: the worker then lets the loop
 * run what was posted before it leaves.
 * - The name resolver of libcurl is a thread; CURLOPT_QUICK_EXIT lets an aborted transfer leave it behind instead of waiting for
 * it on the loop.
 */
#include "aws/http.h"

#include "lazy/lazy_curl.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

enum { MAX_IDLE_CONNECTIONS = 64 };

struct aws_http {
    const struct lazy_curl *curl;
    struct loop *loop;
    CURLM *multi;
    uv_timer_t timer;
    size_t n_open; /* handles of libuv */
    struct completion closed;
    char *ca_file, *user_agent, *http_proxy, *https_proxy, *no_proxy;
    bool insecure;
};

/* A socket that libcurl wants to be watched. */
struct watched {
    uv_poll_t poll;
    struct aws_http *http;
    curl_socket_t socket;
};

struct transfer {
    const struct lazy_curl *curl;
    struct aws_http *http;
    const struct aws_http_request *request;
    CURL *easy;
    struct curl_slist *headers;
    struct buf body, head;
    bool too_large;
    bool added; /* the loop's */
    CURLcode code;
    bool aborted;
    atomic_bool abort_posted;
    struct completion done;
    char error[CURL_ERROR_SIZE];
};

void aws_wipe(struct str secret)
{
    if (secret.n > 0)
        OPENSSL_cleanse((void *)secret.p, secret.n);
}

/* Environment and proxies */

const char *aws_env(const char *const *env, const char *name)
{
    size_t n = strlen(name);
    for (; env && *env; env++)
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
            return *env + n + 1;
    return NULL;
}

static const char *env_either(const char *const *env, const char *upper, const char *lower)
{
    const char *value = aws_env(env, upper);
    if (!value || value[0] == '\0')
        value = aws_env(env, lower);
    return value && value[0] != '\0' ? value : NULL;
}

struct aws_proxies aws_http_proxies(const struct aws_proxies *stated, const char *const *env, bool *ret_borrowed)
{
    struct aws_proxies p = {
        .http = env_either(env, "HTTP_PROXY", "http_proxy"),
        .https = env_either(env, "HTTPS_PROXY", "https_proxy"),
        .none_for = env_either(env, "NO_PROXY", "no_proxy"),
    };
    bool borrowed = stated->http && stated->http[0] != '\0' && !stated->https && !p.https;
    if (stated->http)
        p.http = stated->http;
    if (stated->https)
        p.https = stated->https;
    else if (borrowed)
        p.https = stated->http;
    if (stated->none_for && stated->none_for[0] != '\0')
        p.none_for = stated->none_for;
    if (ret_borrowed)
        *ret_borrowed = borrowed;
    return p;
}

/* On the loop's thread */

static void handle_closed(uv_handle_t *handle)
{
    struct aws_http *http = handle->data;
    if (handle != (uv_handle_t *)&http->timer)
        free(handle); /* the first member of a struct watched */
    if (--http->n_open == 0)
        completion_signal(&http->closed);
}

static void finish(struct transfer *t, CURLcode code)
{
    t->code = code;
    if (t->added)
        (void)t->curl->multi_remove_handle(t->http->multi, t->easy);
    t->added = false;
    completion_signal(&t->done); /* from here on it is gone */
}

static void collect_finished(struct aws_http *http)
{
    int left;
    for (CURLMsg *message; (message = http->curl->multi_info_read(http->multi, &left));) {
        if (message->msg != CURLMSG_DONE)
            continue;
        struct transfer *t = NULL;
        CURLcode code = message->data.result; /* the message dies with the handle's removal */
        (void)http->curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t);
        finish(t, code);
    }
}

static void socket_ready(uv_poll_t *poll, int status, int events)
{
    struct watched *w = (struct watched *)poll;
    struct aws_http *http = w->http;
    int flags = status < 0 ? CURL_CSELECT_ERR : 0;
    if (events & UV_READABLE)
        flags |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        flags |= CURL_CSELECT_OUT;
    int running;
    (void)http->curl->multi_socket_action(http->multi, w->socket, flags, &running);
    collect_finished(http);
}

static void timer_fired(uv_timer_t *timer)
{
    struct aws_http *http = timer->data;
    int running;
    (void)http->curl->multi_socket_action(http->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    collect_finished(http);
}

static int set_timer(CURLM *multi, long ms, void *arg)
{
    (void)multi;
    struct aws_http *http = arg;
    if (uv_is_closing((uv_handle_t *)&http->timer))
        return 0;
    if (ms < 0)
        (void)uv_timer_stop(&http->timer);
    else
        (void)uv_timer_start(&http->timer, timer_fired, (uint64_t)ms, 0); /* also for 0: libcurl must not be entered from here */
    return 0;
}

static struct watched *watch_socket(struct aws_http *http, curl_socket_t socket)
{
    struct watched *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    if (uv_poll_init_socket(loop_uv(http->loop), &w->poll, socket) != 0) {
        free(w);
        return NULL;
    }
    w->poll.data = http;
    w->http = http;
    w->socket = socket;
    http->n_open++;
    (void)http->curl->multi_assign(http->multi, socket, w);
    return w;
}

static int set_socket(CURL *easy, curl_socket_t socket, int what, void *arg, void *socket_arg)
{
    (void)easy;
    struct aws_http *http = arg;
    struct watched *w = socket_arg;
    if (what == CURL_POLL_REMOVE) {
        if (w) {
            (void)http->curl->multi_assign(http->multi, socket, NULL);
            uv_close((uv_handle_t *)&w->poll, handle_closed);
        }
        return 0;
    }
    if (!w && !(w = watch_socket(http, socket)))
        return -1;
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    (void)uv_poll_start(&w->poll, events, socket_ready);
    return 0;
}

static void start_on_loop(void *arg)
{
    struct aws_http *http = arg;
    http->multi = http->curl->multi_init();
    if (!http->multi)
        abort();
    (void)uv_timer_init(loop_uv(http->loop), &http->timer);
    http->timer.data = http;
    http->n_open = 1;
    (void)http->curl->multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, set_socket);
    (void)http->curl->multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
    (void)http->curl->multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    (void)http->curl->multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
    (void)http->curl->multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)MAX_IDLE_CONNECTIONS);
}

static void stop_on_loop(void *arg)
{
    struct aws_http *http = arg;
    (void)http->curl->multi_cleanup(http->multi); /* takes its sockets off the loop */
    uv_close((uv_handle_t *)&http->timer, handle_closed);
}

static void add_on_loop(void *arg)
{
    struct transfer *t = arg;
    if (t->curl->multi_add_handle(t->http->multi, t->easy) == CURLM_OK)
        t->added = true;
    else
        finish(t, CURLE_FAILED_INIT);
}

static void abort_on_loop(void *arg)
{
    struct transfer *t = arg;
    if (!t->added)
        return; /* over already; add_on_loop() was posted before this */
    t->aborted = true;
    finish(t, CURLE_ABORTED_BY_CALLBACK);
}

static size_t take_body(char *bytes, size_t size, size_t n, void *arg)
{
    struct transfer *t = arg;
    buf_add(&t->body, (struct str){bytes, size * n});
    t->too_large = !buf_ok(&t->body);
    return t->too_large ? 0 : size * n;
}

static size_t take_header(char *bytes, size_t size, size_t n, void *arg)
{
    struct transfer *t = arg;
    struct str line = {bytes, size * n};
    if (str_starts(line, STR("HTTP/")))
        buf_clear(&t->head); /* those of an answer that was only on the way, as 100 */
    else
        buf_add(&t->head, line);
    t->too_large = !buf_ok(&t->head);
    return t->too_large ? 0 : size * n;
}

/* On the worker's thread */

static void cancelled(void *arg)
{
    struct transfer *t = arg;
    atomic_store(&t->abort_posted, true);
    loop_post(t->http->loop, abort_on_loop, t);
}

static void nothing(void *arg)
{
    (void)arg;
}

static void add_header(struct transfer *t, struct str name, struct str value)
{
    struct buf line = BUF_INIT(AWS_HTTP_MAX_HEADERS);
    (void)buf_room(&line, name.n + value.n + 3);
    buf_add(&line, name);
    /* An empty one has to be written with a semicolon, or it would be left out. */
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

/* A line break or NUL in a header would be another header, or half of one. */
static bool headers_are_clean(const struct aws_http_request *r)
{
    for (size_t i = 0; i < r->n_headers; i++) {
        const struct aws_header *h = &r->headers[i];
        if (h->name.n == 0 || memchr(h->name.p, ':', h->name.n))
            return false;
        for (size_t k = 0; k < h->value.n; k++)
            if (h->value.p[k] == '\n' || h->value.p[k] == '\r' || h->value.p[k] == '\0')
                return false;
    }
    return true;
}

static void set_headers(struct transfer *t)
{
    const struct aws_http_request *r = t->request;
    for (size_t i = 0; i < r->n_headers; i++)
        add_header(t, r->headers[i].name, r->headers[i].value);
    /* What libcurl would add by itself, taken away. */
    static const char *const unwanted[] = {"Expect:", "Accept:", "Content-Type:"};
    for (size_t i = 0; i < sizeof unwanted / sizeof unwanted[0]; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, "%.*s", (int)strlen(unwanted[i]) - 1, unwanted[i]);
        struct curl_slist *longer =
            aws_header_find(r->headers, r->n_headers, str_of(name)) ? t->headers : t->curl->slist_append(t->headers, unwanted[i]);
        if (!longer)
            abort();
        t->headers = longer;
    }
    CURL_SET(t->curl, t->easy, CURLOPT_HTTPHEADER, t->headers);
}

static void free_headers(struct transfer *t)
{
    for (struct curl_slist *h = t->headers; h; h = h->next)
        OPENSSL_cleanse(h->data, strlen(h->data));
    t->curl->slist_free_all(t->headers);
}

static bool host_is_local(const char *host)
{
    return strcasecmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 || strcmp(host, "[::1]") == 0;
}

/* False: no URL that can be asked. */
static bool set_url(struct transfer *t)
{
    struct aws_http *http = t->http;
    char *url = strndup(t->request->url.p, t->request->url.n);
    CURLU *parts = t->curl->url();
    if (!url || !parts)
        abort();
    char *host = NULL, *scheme = NULL;
    bool ok = strlen(url) == t->request->url.n && t->curl->url_set(parts, CURLUPART_URL, url, CURLU_PATH_AS_IS) == CURLUE_OK &&
              t->curl->url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
              t->curl->url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
              (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    if (ok) {
        bool direct = t->request->direct || host_is_local(host);
        const char *proxy = strcmp(scheme, "https") == 0 ? http->https_proxy : http->http_proxy;
        CURL_SET(t->curl, t->easy, CURLOPT_URL, url);
        CURL_SET(t->curl, t->easy, CURLOPT_PROXY, direct || !proxy ? "" : proxy);
        CURL_SET(t->curl, t->easy, CURLOPT_NOPROXY, direct ? "*" : http->no_proxy ? http->no_proxy : "");
    }
    t->curl->free(host);
    t->curl->free(scheme);
    t->curl->url_cleanup(parts);
    free(url);
    return ok;
}

static void set_trust(struct transfer *t)
{
    const struct aws_http *http = t->http;
    long verify = http->insecure ? 0 : 1;
    CURL_SET(t->curl, t->easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    CURL_SET(t->curl, t->easy, CURLOPT_SSL_VERIFYPEER, verify);
    CURL_SET(t->curl, t->easy, CURLOPT_SSL_VERIFYHOST, verify * 2);
    CURL_SET(t->curl, t->easy, CURLOPT_PROXY_SSL_VERIFYPEER, verify);
    CURL_SET(t->curl, t->easy, CURLOPT_PROXY_SSL_VERIFYHOST, verify * 2);
    if (http->ca_file) {
        CURL_SET(t->curl, t->easy, CURLOPT_CAINFO, http->ca_file);
        CURL_SET(t->curl, t->easy, CURLOPT_PROXY_CAINFO, http->ca_file);
    }
}

static void set_method(struct transfer *t)
{
    const struct aws_http_request *r = t->request;
    bool get = strcmp(r->method, "GET") == 0;
    if (!get || r->body.n > 0) {
        CURL_SET(t->curl, t->easy, CURLOPT_POST, 1L);
        CURL_SET(t->curl, t->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)r->body.n);
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

static void set_rest(struct transfer *t)
{
    const struct aws_http_request *r = t->request;
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
    CURL_SET(t->curl, t->easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    CURL_SET(t->curl, t->easy, CURLOPT_TCP_KEEPALIVE, 1L);
    CURL_SET(t->curl, t->easy, CURLOPT_USERAGENT, t->http->user_agent);
    CURL_SET(t->curl, t->easy, CURLOPT_TIMEOUT_MS, milliseconds(r->timeout_ns, AWS_HTTP_TIMEOUT_S));
    CURL_SET(t->curl, t->easy, CURLOPT_CONNECTTIMEOUT_MS, milliseconds(r->connect_ns, AWS_HTTP_CONNECT_S));
}

static enum aws_http_result result_of(const struct transfer *t)
{
    if (t->aborted)
        return AWS_HTTP_CANCELLED;
    if (t->too_large)
        return AWS_HTTP_TOO_LARGE;
    switch (t->code) {
    case CURLE_OK:
        return AWS_HTTP_OK;
    case CURLE_OPERATION_TIMEDOUT:
        return AWS_HTTP_TIMEOUT;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return AWS_HTTP_NO_HOST;
    case CURLE_COULDNT_CONNECT:
        return AWS_HTTP_REFUSED;
    case CURLE_SSL_CONNECT_ERROR:
        return AWS_HTTP_TLS;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_CRL_BADFILE:
    case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        return AWS_HTTP_UNTRUSTED;
    case CURLE_URL_MALFORMAT:
        return AWS_HTTP_BAD_URL;
    default: /* also CURLE_UNSUPPORTED_PROTOCOL, which here means: an answer that is no HTTP */
        return AWS_HTTP_BROKEN;
    }
}

static struct str explain(struct arena *a, const struct transfer *t, enum aws_http_result result)
{
    switch (result) {
    case AWS_HTTP_CANCELLED:
        return STR("cancelled");
    case AWS_HTTP_TOO_LARGE:
        return arena_printf(a, "the answer has more than %zu bytes", t->body.max);
    case AWS_HTTP_BAD_URL:
        return STR("not an http or https URL, or a header that cannot be sent");
    default:
        return arena_str(a, str_trim(str_of(t->error[0] != '\0' ? t->error : t->curl->easy_strerror(t->code))));
    }
}

static void read_headers(struct arena *a, const struct transfer *t, struct aws_http_response *ret)
{
    struct str text = buf_copy(&t->head, a);
    size_t most = 0;
    for (size_t i = 0; i < text.n; i++)
        most += text.p[i] == '\n';
    struct aws_header *headers = arena_make_n(a, struct aws_header, most + 1);
    size_t n = 0;
    while (text.n > 0) {
        struct str value = str_cut(&text, '\n');
        struct str name = str_trim(str_cut(&value, ':'));
        if (name.n > 0)
            headers[n++] = (struct aws_header){name, str_trim(value)};
    }
    ret->headers = headers;
    ret->n_headers = n;
}

static void run(struct transfer *t)
{
    /* An abort that is posted behind the transfer may come too late: the loop can have the answer by then. */
    if (cancel_fired(t->request->cancel)) {
        t->aborted = true;
        return;
    }
    struct cancel_watch watch = {.fn = cancelled, .arg = t};
    completion_init(&t->done);
    loop_post(t->http->loop, add_on_loop, t);
    cancel_watch(t->request->cancel, &watch);
    (void)completion_wait(&t->done, NO_DEADLINE); /* libcurl has a time-out */
    cancel_unwatch(t->request->cancel, &watch);
    if (atomic_load(&t->abort_posted))
        loop_call(t->http->loop, nothing, NULL); /* the abort may still be in the queue */
    completion_destroy(&t->done);
}

enum aws_http_result aws_http_do(struct aws_http *http, struct arena *a, const struct aws_http_request *request,
                                 struct aws_http_response *ret, struct str *reterr_why)
{
    assert(!loop_is_current(http->loop));
    struct transfer t = {.curl = http->curl, .http = http, .request = request};
    t.body = BUF_INIT(request->max_body > 0 ? request->max_body : AWS_HTTP_MAX_BODY);
    t.head = BUF_INIT(AWS_HTTP_MAX_HEADERS);
    t.easy = t.curl->easy_init();
    if (!t.easy)
        abort();
    enum aws_http_result result = AWS_HTTP_BAD_URL;
    if (headers_are_clean(request) && set_url(&t)) {
        set_method(&t);
        set_headers(&t);
        set_trust(&t);
        set_rest(&t);
        run(&t);
        result = result_of(&t);
    }
    if (result == AWS_HTTP_OK) {
        *ret = (struct aws_http_response){.body = buf_copy(&t.body, a)};
        (void)t.curl->easy_getinfo(t.easy, CURLINFO_RESPONSE_CODE, &ret->status);
        read_headers(a, &t, ret);
    } else if (reterr_why) {
        *reterr_why = explain(a, &t, result);
    }
    t.curl->easy_cleanup(t.easy);
    free_headers(&t);
    buf_wipe(&t.body);
    buf_wipe(&t.head);
    return result;
}

const struct aws_header *aws_header_find(const struct aws_header *headers, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(headers[i].name, name))
            return &headers[i];
    return NULL;
}

struct str aws_http_header(const struct aws_http_response *response, const char *name)
{
    const struct aws_header *header = aws_header_find(response->headers, response->n_headers, str_of(name));
    return header ? header->value : STR_EMPTY;
}

const struct lazy_curl *aws_http_curl(const struct aws_http *http)
{
    return http->curl;
}

struct str aws_http_user_agent(const struct aws_http *http)
{
    return str_of(http->user_agent);
}

static char *copy(const char *text)
{
    char *made = text ? strdup(text) : NULL;
    if (text && !made)
        abort();
    return made;
}

struct aws_http *aws_http_new(const struct aws_http_options *options, struct diags *diags)
{
    const struct lazy_curl *curl = lazy_curl(diags);
    if (!curl)
        return NULL;
    struct aws_http *http = calloc(1, sizeof *http);
    if (!http || curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        abort();
    http->curl = curl;
    http->loop = options->loop;
    http->insecure = options->insecure;
    http->ca_file = copy(options->ca_file);
    http->http_proxy = copy(options->proxies.http);
    http->https_proxy = copy(options->proxies.https);
    http->no_proxy = copy(options->proxies.none_for);
    http->user_agent = strndup(options->user_agent.n > 0 ? options->user_agent.p : "", options->user_agent.n);
    completion_init(&http->closed);
    loop_call(http->loop, start_on_loop, http);
    return http;
}

void aws_http_free(struct aws_http *http)
{
    if (!http)
        return;
    loop_call(http->loop, stop_on_loop, http);
    (void)completion_wait(&http->closed, NO_DEADLINE);
    completion_destroy(&http->closed);
    free(http->ca_file);
    free(http->http_proxy);
    free(http->https_proxy);
    free(http->no_proxy);
    free(http->user_agent);
    http->curl->global_cleanup();
    free(http);
}
