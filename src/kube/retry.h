/* Whether a request is sent again, and after how long: a pure rule. */
#pragma once

#include "http/client.h"

enum { KUBE_MAX_TRIES = 6, KUBE_MAX_RETRY_AFTER_S = 30 };

struct kube_outcome {
    int tries; /* so far, from 1 */
    enum http_result result;
    long status;         /* of HTTP_OK */
    int64_t retry_after; /* in seconds, as the answer has it; negative: it says nothing */
    bool once;           /* what may have been done must not be done again */
    bool renewed;        /* the identity was renewed for it already */
};

enum kube_again { KUBE_AGAIN_NO, KUBE_AGAIN_AS_ANOTHER, KUBE_AGAIN };

/* KUBE_AGAIN: after `*ret_ns`. `chance` is in [0, 1). */
enum kube_again kube_again(const struct kube_outcome *o, double chance, int64_t *ret_ns);
/* The pause after so many failures in a row, from 1: 0.2 s doubled each time up to `max_ns`, and up to a half of it less by
 * chance. */
int64_t kube_backoff(int failures, int64_t max_ns, double chance);
/* Was the request surely not acted upon? */
bool kube_was_not_sent(enum http_result result);
