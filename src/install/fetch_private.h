/* What documents and archives share: one request with its redirects. */
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
};

enum fetch_result {
    FETCH_ANSWERED, /* with whatever status but a redirect */
    FETCH_AGAIN,    /* no answer, or one that says that another try may help */
    FETCH_FAILED,
};

/* *reterr_why: for FETCH_AGAIN and FETCH_FAILED, a clause. *ret_wait: how long the server asks to wait, ns; 0: it does not. */
enum fetch_result fetch_once(const struct fetcher *f, struct arena *a, const struct fetch_request *request,
                             struct http_response *ret, struct str *ret_url, struct str *reterr_why, int64_t *ret_wait);

/* Before try number `attempt` (from 1): false when cancelled. */
bool fetch_pause(const struct fetcher *f, unsigned attempt, int64_t wait);
