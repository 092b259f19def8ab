#include "install/fetch.h"

#include "install/fetch_private.h"
#include "lazy/lazy_curl.h"

enum { MAX_HEADERS = 8 };

struct str fetch_shown(struct arena *a, struct str url)
{
    struct str rest = url, shown = str_cut(&rest, '?');
    size_t scheme = str_find(shown, ':', 0);
    if (scheme == SIZE_MAX || !str_starts(str_slice(shown, scheme, shown.n), STR("://")))
        return shown;
    size_t from = scheme + sizeof "://" - 1, host = from;
    for (size_t i = from; i < shown.n && shown.p[i] != '/'; i++)
        if (shown.p[i] == '@')
            host = i + 1;
    return host == from
               ? shown
               : arena_printf(a, STR_FMT STR_FMT, STR_ARG(str_slice(shown, 0, from)), STR_ARG(str_slice(shown, host, shown.n)));
}

struct str fetch_resolve(const struct fetcher *f, struct arena *a, struct str base, struct str reference)
{
    const struct lazy_curl *curl = http_curl(f->http);
    CURLU *u = curl->url();
    char *text = NULL, *scheme = NULL;
    struct str result = STR_EMPTY;
    if (u && memchr(reference.p, '\0', reference.n) == NULL &&
        (base.n == 0 || curl->url_set(u, CURLUPART_URL, arena_str(a, base).p, 0) == CURLUE_OK) &&
        curl->url_set(u, CURLUPART_URL, arena_str(a, reference).p, 0) == CURLUE_OK &&
        curl->url_get(u, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
        (strcmp(scheme, "https") == 0 || strcmp(scheme, "http") == 0) &&
        curl->url_set(u, CURLUPART_FRAGMENT, NULL, 0) == CURLUE_OK && curl->url_get(u, CURLUPART_URL, &text, 0) == CURLUE_OK)
        result = arena_str(a, str_of(text));
    curl->free(text);
    curl->free(scheme);
    curl->url_cleanup(u);
    return result;
}

struct str fetch_host(const struct fetcher *f, struct arena *a, struct str url)
{
    const struct lazy_curl *curl = http_curl(f->http);
    CURLU *u = curl->url();
    char *host = NULL, *port = NULL;
    struct str result = STR_EMPTY;
    if (u && curl->url_set(u, CURLUPART_URL, arena_str(a, url).p, 0) == CURLUE_OK &&
        curl->url_get(u, CURLUPART_HOST, &host, 0) == CURLUE_OK) {
        bool other = curl->url_get(u, CURLUPART_PORT, &port, CURLU_NO_DEFAULT_PORT) == CURLUE_OK;
        result = arena_lower(a, arena_printf(a, "%s%s%s", host, other ? ":" : "", other ? port : ""));
    }
    curl->free(host);
    curl->free(port);
    curl->url_cleanup(u);
    return result;
}

static bool is_redirect(long status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* Retry-After in seconds, as registries send it; the form with a date is not read. */
static int64_t wait_of(const struct http_response *response)
{
    int64_t seconds;
    if (!str_to_i64(http_response_header(response, "Retry-After"), &seconds) || seconds < 0)
        return 0;
    return (seconds < FETCH_MAX_WAIT_S ? seconds : FETCH_MAX_WAIT_S) * NS_PER_S;
}

static enum fetch_result ask(const struct fetcher *f, struct arena *a, const struct fetch_request *r, struct str url,
                             bool with_token, struct http_response *ret, struct str *reterr_why, int64_t *ret_wait)
{
    struct http_header headers[MAX_HEADERS];
    size_t n = 0;
    for (size_t i = 0; i < r->n_headers && n + 1 < MAX_HEADERS; i++)
        headers[n++] = r->headers[i];
    if (with_token)
        headers[n++] = (struct http_header){STR("Authorization"), arena_printf(a, "Bearer " STR_FMT, STR_ARG(r->token))};
    struct http_request request = {
        .method = "GET",
        .url = url,
        .headers = headers,
        .n_headers = n,
        .max_body = r->max_body,
        .sink = r->sink,
        .sink_ctx = r->sink_ctx,
        .timeout_ns = r->timeout_ns,
        .cancel = f->cancel,
    };
    enum http_result result = http_do(f->http, a, &request, ret, reterr_why);
    log_debug(f->log, "asked", LOG_STR("url", fetch_shown(a, url)), LOG_INT("result", (int64_t)result),
              LOG_INT("status", result == HTTP_OK ? ret->status : 0));
    switch (result) {
    case HTTP_OK:
        break;
    case HTTP_TIMEOUT:
    case HTTP_BROKEN:
    case HTTP_REFUSED:
        return FETCH_AGAIN;
    default:
        return FETCH_FAILED;
    }
    if (ret->status != 429 && ret->status < 500)
        return FETCH_ANSWERED;
    *reterr_why = arena_printf(a, "the server answered with status %ld", ret->status);
    *ret_wait = wait_of(ret);
    return FETCH_AGAIN;
}

enum fetch_result fetch_once(const struct fetcher *f, struct arena *a, const struct fetch_request *request,
                             struct http_response *ret, struct str *ret_url, struct str *reterr_why, int64_t *ret_wait)
{
    struct str url = request->url, host = fetch_host(f, a, url);
    for (int i = 0; i <= FETCH_MAX_REDIRECTS; i++) {
        if (!request->allow_http && !str_starts(url, STR("https://"))) {
            *reterr_why = arena_printf(a, STR_FMT " is not an https address", STR_ARG(fetch_shown(a, url)));
            return FETCH_FAILED;
        }
        /* Over plain http others could read the token. */
        bool with_token = request->token.n > 0 && str_eq(fetch_host(f, a, url), host) && str_starts(url, STR("https://"));
        enum fetch_result result = ask(f, a, request, url, with_token, ret, reterr_why, ret_wait);
        if (result != FETCH_ANSWERED || !is_redirect(ret->status)) {
            *ret_url = url;
            return result;
        }
        struct str location = http_response_header(ret, "Location");
        struct str next = fetch_resolve(f, a, url, location);
        if (location.n == 0 || next.n == 0) {
            *reterr_why = arena_printf(a, "status %ld does not say where to go on", ret->status);
            return FETCH_FAILED;
        }
        url = next;
    }
    *reterr_why = arena_printf(a, "more than %d redirects", (int)FETCH_MAX_REDIRECTS);
    return FETCH_FAILED;
}

bool fetch_pause(const struct fetcher *f, unsigned attempt, int64_t wait)
{
    int64_t own = (INT64_C(1) << (attempt < 5 ? attempt : 5)) * NS_PER_S / 4;
    own += (int64_t)((double)own * f->time->chance(f->time));
    return f->time->pause(f->time, wait > own ? wait : own, f->cancel);
}

bool fetch_document(const struct fetcher *f, struct arena *a, struct str url, struct str token, bool allow_http, const char *what,
                    struct diags *diags, struct fetch_answer *ret)
{
    struct http_header accept = {STR("Accept"), STR("application/json, */*")};
    struct fetch_request request = {
        .url = url, .token = token, .allow_http = allow_http, .headers = &accept, .n_headers = 1, .max_body = FETCH_MAX_DOCUMENT};
    request.timeout_ns = f->document_ns > 0 ? f->document_ns : FETCH_DOCUMENT_S * NS_PER_S;
    int64_t until = clock_now(f->time->clock) + FETCH_DOCUMENT_TRIES_S * NS_PER_S;
    struct http_response response;
    struct str why = STR_EMPTY, from = url;
    int64_t wait = 0;
    enum fetch_result result = FETCH_AGAIN;
    for (unsigned i = 0; i < FETCH_TRIES && result == FETCH_AGAIN; i++) {
        if (i > 0 && (clock_now(f->time->clock) > until || !fetch_pause(f, i, wait)))
            break;
        result = fetch_once(f, a, &request, &response, &from, &why, &wait);
    }
    if (result != FETCH_ANSWERED)
        return diags_fail(diags, "Cannot query a provider source", "Could not reach %s (" STR_FMT "): " STR_FMT ".", what,
                          STR_ARG(fetch_shown(a, url)), STR_ARG(why));
    *ret = (struct fetch_answer){response.status, from, response.body};
    return true;
}
