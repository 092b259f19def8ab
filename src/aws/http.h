/*
 * HTTP for clients: libcurl's multi interface on the I/O loop. A worker calls aws_http_do() and waits; sockets, TLS and timers
 * live on the loop's thread, connections are kept and shared by all workers.
 *
 * - Certificates are verified unless `insecure` says otherwise. Redirects are never followed: a signature is for one host, and a
 *   secret goes where it was meant to go. Only http and https are spoken.
 * - Proxies are those of the options and nothing else: libcurl's own reading of the environment is off (aws_http_proxies() reads
 * it). Addresses of this machine itself are never asked through one.
 * - An answer has a bound. One that is larger, or is cut short, is an error and not an answer.
 * - Texts of requests (headers with tokens, bodies) are overwritten when they are no longer needed, as far as they are ours.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"
#include "loop/loop.h"

struct lazy_curl;

enum {
    AWS_HTTP_MAX_BODY = 16 << 20, /* of an answer, if the request states no other bound */
    AWS_HTTP_MAX_HEADERS = 64 << 10,
    AWS_HTTP_CONNECT_S = 10, /* to be connected, TLS included */
    AWS_HTTP_TIMEOUT_S = 60, /* of one exchange */
};

struct aws_header {
    struct str name, value;
};

/* Which proxy to use: NULL: not stated; "": none. */
struct aws_proxies {
    const char *http, *https, *none_for; /* none_for: as NO_PROXY has it */
};

/* A variable of an environment in the form of environ; NULL: not set. An empty one counts as set. */
const char *aws_env(const char *const *env, const char *name);

/*
 * What is stated wins over the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY, small letters too). A stated http proxy serves
 * https too when nothing else is said about that, as in hashicorp's providers; *ret_borrowed (may be NULL) tells.
 */
struct aws_proxies aws_http_proxies(const struct aws_proxies *stated, const char *const *env, bool *ret_borrowed);

struct aws_http_options {
    struct loop *loop;
    const char *ca_file; /* PEM; NULL: the machine's own certificates */
    bool insecure;
    struct aws_proxies proxies;
    struct str user_agent;
};

struct aws_http;
/* Copies what it needs. NULL and a diagnostic: libcurl is not installed. Aborts only if libcurl cannot start at all. */
struct aws_http *aws_http_new(const struct aws_http_options *options, struct diags *diags);
/* No call may be under way. NULL is accepted. */
void aws_http_free(struct aws_http *http);
/* The library, for others who need a part of it. */
const struct lazy_curl *aws_http_curl(const struct aws_http *http);
/* What every request says, unless it has a header User-Agent of its own. */
struct str aws_http_user_agent(const struct aws_http *http);

struct aws_http_request {
    const char *method; /* "POST" */
    struct str url;
    const struct aws_header *headers;
    size_t n_headers;
    struct str body;
    int64_t timeout_ns; /* 0: AWS_HTTP_TIMEOUT_S */
    int64_t connect_ns; /* 0: AWS_HTTP_CONNECT_S */
    size_t max_body;    /* 0: AWS_HTTP_MAX_BODY */
    bool direct;        /* past every proxy: for addresses of this machine or its link */
    struct cancel *cancel;
};

struct aws_http_response {
    long status;
    struct str body; /* NUL behind it */
    const struct aws_header *headers;
    size_t n_headers;
};

enum aws_http_result {
    AWS_HTTP_OK, /* an answer, of whatever status */
    AWS_HTTP_CANCELLED,
    AWS_HTTP_TIMEOUT,
    AWS_HTTP_NO_HOST,   /* the name is not known */
    AWS_HTTP_REFUSED,   /* no connection */
    AWS_HTTP_TLS,       /* the handshake failed */
    AWS_HTTP_UNTRUSTED, /* the certificate is not to be trusted, or our own certificates cannot be read */
    AWS_HTTP_TOO_LARGE, /* the answer is */
    AWS_HTTP_BROKEN,    /* the connection broke, or what came is no HTTP */
    AWS_HTTP_BAD_URL,
};

/*
 * One exchange, blocking: from any thread but the loop's. The answer is made in `a`. On failure *reterr_why (may be NULL) says in
 * words what happened, without the URL.
 */
enum aws_http_result aws_http_do(struct aws_http *http, struct arena *a, const struct aws_http_request *request,
                                 struct aws_http_response *ret, struct str *reterr_why);

/* The first header of this name, in any case; empty when absent. */
struct str aws_http_header(const struct aws_http_response *response, const char *name);
/* The first of that name, whatever its case; NULL: there is none. */
const struct aws_header *aws_header_find(const struct aws_header *headers, size_t n, struct str name);

/* Overwrites the bytes, which are in memory of the caller's own. */
void aws_wipe(struct str secret);
