/*
 * HTTP client: libcurl's multi interface on the I/O loop. A worker calls http_do() and waits, or reads a response as it arrives
 * (stream.h). Sockets, TLS and timers belong to the loop's thread; connections are kept alive and shared by all workers.
 *
 * - Certificates are verified unless `insecure` is set. Redirects are never followed: a signature is valid for one host only, and
 *   a secret must not reach another host. Only http and https URLs are allowed.
 * - Only the proxies in the options are used: libcurl does not read the environment (http_proxies() does). Requests to this
 *   machine's own addresses do not go through a proxy, unless the request itself names one (`proxy`).
 * - A response has a maximum size. A larger or truncated response is an error.
 * - Our own copies of request texts (headers with tokens, bodies) are overwritten when they are no longer needed.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"
#include "loop/loop.h"

struct lazy_curl;

enum {
    HTTP_MAX_BODY = 16 << 20, /* of a response, unless the request sets another limit */
    HTTP_MAX_HEADERS = 64 << 10,
    HTTP_CONNECT_S = 10, /* to connect, including the TLS handshake */
    HTTP_TIMEOUT_S = 60, /* of one exchange */
    HTTP_STALL_S = 30,
};

struct http_header {
    struct str name, value;
};

/* Which proxies to use. NULL: not set; "": no proxy. */
struct http_proxies {
    const char *http, *https, *none_for; /* none_for: in the syntax of NO_PROXY */
};

/*
 * Values in `stated` take precedence over the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY and their lower-case forms). As in
 * HashiCorp's providers, a stated http proxy is also used for https if no https proxy is set; then *ret_borrowed (may be NULL) is
 * true.
 */
struct http_proxies http_proxies(const struct http_proxies *stated, const char *const *env, bool *ret_borrowed);

struct http_options {
    struct loop *loop;
    const char *ca_file; /* PEM; NULL: the system's CA certificates */
    bool insecure;
    bool multiplex; /* use HTTP/2 where the server supports it: many concurrent requests on one connection to a host */
    struct http_proxies proxies;
    struct str user_agent;
};

/* The CAs that a request trusts and its client certificate, instead of those of the options. Texts are PEM; empty: none. */
struct http_tls {
    struct str ca; /* trust only these CAs; empty: the system's */
    struct str certificate, key;
    const char *server_name; /* the name that the certificate must be valid for; NULL: the URL's host */
    bool insecure;
};

struct http;
/* Copies what it needs from the options. NULL, with a diagnostic, when libcurl is not installed. Aborts only if libcurl fails to
 * initialise. */
struct http *http_new(const struct http_options *options, struct diags *diags);
/* No call may be in progress. NULL is accepted. */
void http_free(struct http *http);
/* libcurl's function table, for callers that need other parts of the library. */
const struct lazy_curl *http_curl(const struct http *http);
/* The User-Agent of every request that has no such header of its own. */
struct str http_user_agent(const struct http *http);

struct http_response;

struct http_request {
    const char *method; /* "POST" */
    struct str url;
    const struct http_header *headers;
    size_t n_headers;
    struct str body;
    int64_t timeout_ns; /* 0: HTTP_TIMEOUT_S */
    int64_t connect_ns; /* 0: HTTP_CONNECT_S */
    size_t max_body;    /* 0: HTTP_MAX_BODY */
    bool direct;        /* use no proxy: for this machine's own and link-local addresses */
    const char *proxy;  /* use this proxy whatever the options say, also for this machine's addresses; NULL: as in the options */
    const struct http_tls *tls; /* NULL: as in the options */
    /*
     * Receives the body of a response with status 200 or 206 as it arrives, instead of `struct http_response`. It is called on
     * the loop's thread, so it may write to a file but must not block otherwise. `head` has the status and headers. Returning
     * false ends the exchange (HTTP_TOO_LARGE). Such an exchange has no default time limit, only `timeout_ns` if set, and ends
     * when nothing arrives for HTTP_STALL_S.
     */
    bool (*sink)(void *ctx, const struct http_response *head, struct str bytes);
    void *sink_ctx;
    bool once; /* libcurl must not resend the request, as it otherwise does when a reused connection turns out to be dead */
    struct cancel *cancel;
};

struct http_response {
    long status;
    struct str body; /* followed by a NUL */
    const struct http_header *headers;
    size_t n_headers;
};

enum http_result {
    HTTP_OK, /* a response, whatever its status */
    HTTP_CANCELLED,
    HTTP_TIMEOUT,
    HTTP_NO_HOST,   /* the host name cannot be resolved */
    HTTP_REFUSED,   /* cannot connect */
    HTTP_TLS,       /* the TLS handshake failed */
    HTTP_UNTRUSTED, /* the certificate is not trusted, or our own certificates cannot be read */
    HTTP_TOO_LARGE, /* the response is larger than allowed */
    HTTP_BROKEN,    /* the connection broke, or the response is not valid HTTP */
    HTTP_BAD_URL,
};

/*
 * Sends a request and waits for the response; must not be called on the loop's thread. The response is allocated in `a`. On
 * failure *reterr_why (may be NULL) describes what happened, without the URL.
 */
enum http_result http_do(struct http *http, struct arena *a, const struct http_request *request, struct http_response *ret,
                         struct str *reterr_why);

/* The first header of this name, ignoring case; empty when absent. */
struct str http_response_header(const struct http_response *response, const char *name);
/* The first header of this name, ignoring case; NULL when absent. */
const struct http_header *http_header_find(const struct http_header *headers, size_t n, struct str name);
