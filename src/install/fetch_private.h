/* Shared by documents and archives: one request with its redirects. */
#pragma once

#include "install/fetch.h"

struct fetch_request {
    struct str url, token;
    bool allow_http;
    const struct http_header *headers;
    size_t n_headers;
    size_t max_body;
    bool (*sink)(void *ctx, const struct http_response *head, struct str bytes);
    void *sink_ctx;
    int64_t timeout_ns; /* of one exchange; 0: none */
};

enum fetch_result {
    FETCH_ANSWERED, /* with any status except a redirect */
    FETCH_AGAIN,    /* no answer, or one after which a retry may succeed */
    FETCH_FAILED,
};

/* *reterr_why: the reason for FETCH_AGAIN and FETCH_FAILED, as a clause. *ret_wait: the server's Retry-After in ns; 0: none. */
enum fetch_result fetch_once(const struct fetcher *f, struct arena *a, const struct fetch_request *request,
                             struct http_response *ret, struct str *ret_url, struct str *reterr_why, int64_t *ret_wait);

/* Waits before the retry after attempt number `attempt` (from 1); false if cancelled. */
bool fetch_pause(const struct fetcher *f, unsigned attempt, int64_t wait);
