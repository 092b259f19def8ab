/*
 * A transfer: one exchange of libcurl's. Whoever wants it prepares it on his own thread and posts it to the loop; there it joins
 * the multi handle, whose sockets and timer are watched by libuv; when it is over (or aborted) the loop takes it out again and
 * calls `ended`. From then on it is again its owner's alone.
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
    struct str unsent; /* of the body, where it must not be sent twice */
    /* Its owner's, called on the loop's thread. `take` is false when there is no room. */
    bool (*take)(struct transfer *t, struct str bytes);
    void (*ended)(struct transfer *t);
    /* The loop's, until it has ended. */
    bool added, too_large, aborted;
    CURLcode code;
    char error[CURL_ERROR_SIZE];
};

/* Fills a transfer of which `take` and `ended` are set. False: the request cannot be sent. Clear it in any case. */
bool transfer_prepare(struct transfer *t, struct http *http, const struct http_request *request);
void transfer_clear(struct transfer *t);

/* Of struct transfer *, on the loop's thread. */
void transfer_add(void *transfer);
void transfer_abort(void *transfer);

/* Of one that has ended. */
enum http_result transfer_result(const struct transfer *t);
struct str transfer_why(struct arena *a, const struct transfer *t, enum http_result result);
/* Status and headers, as far as they have come. */
void transfer_read_head(struct arena *a, const struct transfer *t, struct http_response *ret);

/* The multi handle, on the loop's thread (struct http *). */
void multi_start(void *http);
void multi_stop(void *http);
