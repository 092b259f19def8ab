#include "kube/retry.h"

enum { FIRST_MS = 200, MAX_DOUBLINGS = 20 };

int64_t kube_backoff(int failures, int64_t max_ns, double chance)
{
    int doublings = failures < 1 ? 0 : failures > MAX_DOUBLINGS ? MAX_DOUBLINGS : failures - 1;
    int64_t ns = (FIRST_MS * NS_PER_MS) << doublings;
    if (ns > max_ns)
        ns = max_ns;
    return ns - (int64_t)((double)ns / 2 * chance);
}

bool kube_was_not_sent(enum http_result result)
{
    return result == HTTP_NO_HOST || result == HTTP_REFUSED || result == HTTP_TLS || result == HTTP_UNTRUSTED ||
           result == HTTP_BAD_URL;
}

static bool is_worth_it(const struct kube_outcome *o)
{
    switch (o->result) {
    case HTTP_OK:
        /* The server sends 429, and 503 with Retry-After, without having processed the request. */
        if (o->status == 429 || (o->status == 503 && o->retry_after >= 0))
            return true;
        return o->status >= 500 && o->status != 501 && o->status != 505 && !o->once;
    case HTTP_NO_HOST:
    case HTTP_REFUSED:
    case HTTP_TLS:
        return true;
    case HTTP_TIMEOUT:
    case HTTP_BROKEN:
        return !o->once;
    default:
        return false;
    }
}

enum kube_again kube_again(const struct kube_outcome *o, double chance, int64_t *ret_ns)
{
    if (o->tries >= KUBE_MAX_TRIES)
        return KUBE_AGAIN_NO;
    bool other_identity = (o->result == HTTP_OK && o->status == 401) || o->result == HTTP_UNTRUSTED;
    if (other_identity)
        return o->renewed ? KUBE_AGAIN_NO : KUBE_AGAIN_AS_ANOTHER;
    if (!is_worth_it(o))
        return KUBE_AGAIN_NO;
    *ret_ns = kube_backoff(o->tries, 10 * NS_PER_S, chance);
    if (o->result == HTTP_OK && o->retry_after >= 0) {
        int64_t asked = o->retry_after > KUBE_MAX_RETRY_AFTER_S ? KUBE_MAX_RETRY_AFTER_S : o->retry_after;
        /* Jitter, but never earlier than the server asks. */
        *ret_ns = asked * NS_PER_S + (int64_t)(chance * (double)NS_PER_S / 4);
    }
    return KUBE_AGAIN;
}
