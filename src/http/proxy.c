#include "base/env.h"
#include "http/client.h"

static const char *env_either(const char *const *env, const char *upper, const char *lower)
{
    const char *value = env_get(env, upper);
    if (!value || value[0] == '\0')
        value = env_get(env, lower);
    return value && value[0] != '\0' ? value : NULL;
}

struct http_proxies http_proxies(const struct http_proxies *stated, const char *const *env, bool *ret_borrowed)
{
    struct http_proxies p = {
        .http = env_either(env, "HTTP_PROXY", "http_proxy"),
        .https = env_either(env, "HTTPS_PROXY", "https_proxy"),
        .none_for = env_either(env, "NO_PROXY", "no_proxy"),
    };
    bool borrowed = stated->http && stated->http[0] != '\0' && !stated->https && !p.https;
    if (stated->http)
        p.http = stated->http;
    if (stated->https)
        p.https = stated->https;
    else if (borrowed)
        p.https = stated->http;
    if (stated->none_for && stated->none_for[0] != '\0')
        p.none_for = stated->none_for;
    if (ret_borrowed)
        *ret_borrowed = borrowed;
    return p;
}
