/*
 * A transfer is one exchange by libcurl. Its owner prepares it on the owner's thread and posts it to the loop. The loop adds it
 * to the multi handle, whose sockets and timer libuv watches. When the transfer is over (or aborted) the loop removes it and
 * calls `ended`; from then on only the owner uses it.
 */
#pragma once

#include "http/client.h"
#include "lazy/lazy_curl.h"

struct http {
    const struct lazy_curl *curl;
    struct loop *loop;
    CURLM *multi;
    uv_timer_t timer;
    size_t n_open; /* handles of libuv */
    struct completion closed;
    char *ca_file, *user_agent, *http_proxy, *https_proxy, *no_proxy;
    bool insecure, multiplex;
};

struct transfer {
    const struct lazy_curl *curl;
    struct http *http;
    CURL *easy;
    struct curl_slist *headers, *connect_to;
    struct buf head;
    size_t max_body;
    struct str unsent; /* the part of the body not sent yet, when the body must not be sent twice */
    /* Set by the owner, called on the loop's thread. `take` returns false when there is no room. */
    bool (*take)(struct transfer *t, struct str bytes);
    void (*ended)(struct transfer *t);
    /* Used by the loop only, until the transfer has ended. */
    bool added, too_large, aborted;
    CURLcode code;
    char error[CURL_ERROR_SIZE];
};

/* Fills a transfer whose `take` and `ended` are already set. False when the request cannot be sent. transfer_clear() must be
 * called in either case. */
bool transfer_prepare(struct transfer *t, struct http *http, const struct http_request *request);
void transfer_clear(struct transfer *t);

/* Both take a struct transfer * and run on the loop's thread. */
void transfer_add(void *transfer);
void transfer_abort(void *transfer);

/* For a transfer that has ended. */
enum http_result transfer_result(const struct transfer *t);
struct str transfer_why(struct arena *a, const struct transfer *t, enum http_result result);
/* The status and the headers received so far. */
void transfer_read_head(struct arena *a, const struct transfer *t, struct http_response *ret);

/* Start and stop the multi handle of a struct http *, on the loop's thread. */
void multi_start(void *http);
void multi_stop(void *http);
