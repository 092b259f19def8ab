/*
 * HTTP for clients: libcurl's multi interface on the I/O loop. A worker calls http_do() and waits, or reads an answer while it
 * comes (stream.h); sockets, TLS and timers live on the loop's thread, connections are kept and shared by all workers.
 *
 * - Certificates are verified unless `insecure` says otherwise. Redirects are never followed: a signature is for one host, and a
 *   secret goes where it was meant to go. Only http and https are spoken.
 * - Proxies are those of the options and nothing else: libcurl's own reading of the environment is off (http_proxies() reads
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
    HTTP_MAX_BODY = 16 << 20, /* of an answer, if the request states no other bound */
    HTTP_MAX_HEADERS = 64 << 10,
    HTTP_CONNECT_S = 10, /* to be connected, TLS included */
    HTTP_TIMEOUT_S = 60, /* of one exchange */
    HTTP_STALL_S = 30,
};

struct http_header {
    struct str name, value;
};

/* Which proxy to use: NULL: not stated; "": none. */
struct http_proxies {
    const char *http, *https, *none_for; /* none_for: as NO_PROXY has it */
};

/*
 * What is stated wins over the environment (HTTP_PROXY, HTTPS_PROXY, NO_PROXY, small letters too). A stated http proxy serves
 * https too when nothing else is said about that, as in hashicorp's providers; *ret_borrowed (may be NULL) tells.
 */
struct http_proxies http_proxies(const struct http_proxies *stated, const char *const *env, bool *ret_borrowed);

struct http_options {
    struct loop *loop;
    const char *ca_file; /* PEM; NULL: the machine's own certificates */
    bool insecure;
    bool multiplex; /* HTTP/2 where the server speaks it: many requests at once on one connection to a host */
    struct http_proxies proxies;
    struct str user_agent;
};

/* Whom a request trusts and as whom it is sent, instead of what the options say. Texts are PEM; empty: none. */
struct http_tls {
    struct str ca; /* these authorities and no others; empty: the machine's own */
    struct str certificate, key;
    const char *server_name; /* that the certificate is for, if it is not the URL's host; NULL: it is */
    bool insecure;
};

struct http;
/* Copies what it needs. NULL and a diagnostic: libcurl is not installed. Aborts only if libcurl cannot start at all. */
struct http *http_new(const struct http_options *options, struct diags *diags);
/* No call may be under way. NULL is accepted. */
void http_free(struct http *http);
/* The library, for others who need a part of it. */
const struct lazy_curl *http_curl(const struct http *http);
/* What every request says, unless it has a header User-Agent of its own. */
struct str http_user_agent(const struct http *http);

struct http_response;

struct http_request {
    const char *method; /* "POST" */
    struct str url;
    const struct http_header *headers;
    size_t n_headers;
    struct str body;
    int64_t timeout_ns;         /* 0: HTTP_TIMEOUT_S */
    int64_t connect_ns;         /* 0: HTTP_CONNECT_S */
    size_t max_body;            /* 0: HTTP_MAX_BODY */
    bool direct;                /* past every proxy: for addresses of this machine or its link */
    const char *proxy;          /* this one, whatever the options say, for addresses of this machine too; NULL: as they say */
    const struct http_tls *tls; /* NULL: as the options say */
    /*
     * Where the body of an answer of status 200 or 206 goes instead of into the response, as it comes: on the loop's thread, so
     * it may write to a file and wait for nothing else. `head` has status and headers. False ends the exchange (HTTP_TOO_LARGE).
     * Such an exchange has no time limit of its own but `timeout_ns`, and ends when nothing has come for HTTP_STALL_S.
     */
    bool (*sink)(void *ctx, const struct http_response *head, struct str bytes);
    void *sink_ctx;
    bool once; /* libcurl itself must not send it again either, as it does when a connection turns out to be dead */
    struct cancel *cancel;
};

struct http_response {
    long status;
    struct str body; /* NUL behind it */
    const struct http_header *headers;
    size_t n_headers;
};

enum http_result {
    HTTP_OK, /* an answer, of whatever status */
    HTTP_CANCELLED,
    HTTP_TIMEOUT,
    HTTP_NO_HOST,   /* the name is not known */
    HTTP_REFUSED,   /* no connection */
    HTTP_TLS,       /* the handshake failed */
    HTTP_UNTRUSTED, /* the certificate is not to be trusted, or our own certificates cannot be read */
    HTTP_TOO_LARGE, /* the answer is */
    HTTP_BROKEN,    /* the connection broke, or what came is no HTTP */
    HTTP_BAD_URL,
};

/*
 * One exchange, blocking: from any thread but the loop's. The answer is made in `a`. On failure *reterr_why (may be NULL) says in
 * words what happened, without the URL.
 */
enum http_result http_do(struct http *http, struct arena *a, const struct http_request *request, struct http_response *ret,
                         struct str *reterr_why);

/* The first header of this name, in any case; empty when absent. */
struct str http_response_header(const struct http_response *response, const char *name);
/* The first of that name, whatever its case; NULL: there is none. */
const struct http_header *http_header_find(const struct http_header *headers, size_t n, struct str name);
