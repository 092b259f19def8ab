/* Whether a request is retried, and after which pause: a pure function. */
#pragma once

#include "http/client.h"

enum { KUBE_MAX_TRIES = 6, KUBE_MAX_RETRY_AFTER_S = 30 };

struct kube_outcome {
    int tries; /* so far, from 1 */
    enum http_result result;
    long status;         /* when `result` is HTTP_OK */
    int64_t retry_after; /* in seconds, from the answer; negative: not given */
    bool once;           /* not idempotent: do not retry once it may have been processed */
    bool renewed;        /* the credentials were already renewed for this request */
};

enum kube_again { KUBE_AGAIN_NO, KUBE_AGAIN_AS_ANOTHER, KUBE_AGAIN };

/* For KUBE_AGAIN, wait `*ret_ns` first. `chance` is in [0, 1). */
enum kube_again kube_again(const struct kube_outcome *o, double chance, int64_t *ret_ns);
/*
 * Backoff after this many failures in a row, from 1: 0.2 s, doubled each time up to `max_ns`, with a random reduction of up to
 * half.
 */
int64_t kube_backoff(int failures, int64_t max_ns, double chance);
/* Is it certain that the server did not process the request? */
bool kube_was_not_sent(enum http_result result);
