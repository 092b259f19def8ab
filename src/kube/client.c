#include "kube/client.h"

#include "base/must.h"
#include "kube/client_private.h"
#include "kube/expiry.h"
#include "kube/retry.h"

#include <stdlib.h>

enum { MAX_HEADERS = 512 };

struct kube {
    struct kube_options o;
    struct http *http;
    struct kube_auth *auth;
    struct kube_limits limits;
    bool borrowed; /* http and auth belong to another client */
};

/* One attempt. */
struct attempt {
    enum http_result result;
    struct http_response response;
    struct str why;
};

static size_t make_headers(const struct kube_request *r, const struct kube_identity *identity, struct http_header *headers)
{
    size_t n = 0;
    headers[n++] = (struct http_header){STR("Accept"), str_of(r->accept ? r->accept : "application/json")};
    if (r->body.n > 0)
        headers[n++] = (struct http_header){STR("Content-Type"), str_of(r->content_type ? r->content_type : "application/json")};
    for (size_t i = 0; i < identity->n_headers && n < MAX_HEADERS; i++)
        headers[n++] = identity->headers[i];
    return n;
}

static struct cancel *cancel_of(const struct kube *k, const struct kube_request *r)
{
    return r->cancel ? r->cancel : k->limits.cancel;
}

static void send_once(struct kube *k, struct arena *a, const struct kube_request *r, const struct kube_identity *identity,
                      struct attempt *ret)
{
    struct http_header headers[MAX_HEADERS];
    struct http_request request = {
        .method = r->method,
        .url = arena_printf(a, STR_FMT STR_FMT, STR_ARG(k->o.config->server), STR_ARG(r->target)),
        .headers = headers,
        .n_headers = make_headers(r, identity, headers),
        .body = r->body,
        .timeout_ns = k->limits.timeout_ns > 0 ? k->limits.timeout_ns : KUBE_TIMEOUT_S * NS_PER_S,
        .max_body = r->max_answer > 0 ? r->max_answer : KUBE_MAX_ANSWER,
        .once = r->once,
        .proxy = k->o.config->proxy,
        .tls = &identity->tls,
        .cancel = cancel_of(k, r),
    };
    *ret = (struct attempt){0};
    ret->result = http_do(k->http, a, &request, &ret->response, &ret->why);
}

static int64_t retry_after(const struct attempt *t)
{
    int64_t seconds = -1;
    if (t->result == HTTP_OK && !str_to_i64(http_response_header(&t->response, "retry-after"), &seconds))
        seconds = -1;
    return seconds;
}

/* Errors of the transport */

static const char *what_to_do(enum http_result result)
{
    switch (result) {
    case HTTP_UNTRUSTED:
        return " The certificate of the server does not match the kubeconfig's certificate-authority (or tls-server-name), or "
               "has "
               "expired.";
    case HTTP_REFUSED:
    case HTTP_NO_HOST:
        return " Is the address of the server in the kubeconfig right, and is the server running?";
    case HTTP_TOO_LARGE:
        return " The answer is larger than the limit.";
    default:
        return "";
    }
}

static enum kube_result no_answer(struct kube *k, const struct kube_request *r, const struct attempt *t, struct diags *diags)
{
    struct kube_right right = kube_right(r->method, r->target);
    struct str what = kube_right_text(diags->arena, &right);
    bool unknown = r->once && !kube_was_not_sent(t->result);
    (void)diags_fail(diags, unknown ? "It is not known whether the API server did it" : "No answer from the API server",
                     STR_FMT " at " STR_FMT " (" STR_FMT "): " STR_FMT ".%s%s", STR_ARG(what), STR_ARG(k->o.config->server),
                     STR_ARG(k->o.config->title), STR_ARG(t->why), what_to_do(t->result),
                     k->o.config->proxy ? " It was asked through the proxy that the cluster has as its proxy-url." : "");
    if (t->result == HTTP_CANCELLED)
        return KUBE_CANCELLED;
    if (t->result == HTTP_TOO_LARGE)
        return KUBE_TOO_LARGE;
    return unknown ? KUBE_UNKNOWN : KUBE_UNAVAILABLE;
}

/* NULL: it is not JSON. */
static const struct json *parse(struct arena *a, struct str body)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct diags unread;
    diags_init(&unread, scratch);
    return json_parse(a, body, "answer", &unread);
}

static bool is_status(const struct json *j)
{
    return j && j->kind == JSON_OBJECT && str_eqz(json_text(json_get(j, "kind"), STR_EMPTY), "Status");
}

/* `why`: our own explanation of a refusal; may be empty. */
static enum kube_result answered(struct kube *k, struct arena *a, const struct kube_request *r, const struct attempt *t,
                                 struct str why, struct diags *diags, const struct json **ret)
{
    const struct json *j = parse(a, t->response.body);
    struct kube_right right = kube_right(r->method, r->target);
    enum kube_result result = kube_result_of(t->response.status, j);
    if (r->refusal)
        *r->refusal = result != KUBE_OK && is_status(j) ? j : NULL;
    if (result != KUBE_OK) {
        kube_explain(diags, t->response.status, is_status(j) ? j : NULL, &right, why);
        /* A 5xx for a request that must not be retried: the object may have been created. */
        return result == KUBE_UNAVAILABLE && r->once && t->response.status >= 500 && retry_after(t) < 0 ? KUBE_UNKNOWN : result;
    }
    if (ret && (!j || j->kind != JSON_OBJECT)) {
        (void)diags_fail(diags, "The answer is not from an API server",
                         STR_FMT " at " STR_FMT
                                 ": expected a JSON object. Is the address in the kubeconfig that of a Kubernetes API server?",
                         STR_ARG(kube_right_text(diags->arena, &right)), STR_ARG(k->o.config->server));
        return r->once ? KUBE_UNKNOWN : KUBE_UNAVAILABLE;
    }
    if (ret)
        *ret = j;
    return KUBE_OK;
}

static void tell(struct kube *k, const struct kube_request *r, const struct attempt *t, int64_t begun)
{
    struct str path = r->target;
    char status[16];
    (void)snprintf(status, sizeof status, "%ld", t->response.status);
    log_work(k->o.log, &(struct log_work){.kind = LOG_WORK_REQUEST,
                                          .what = str_of(r->method),
                                          .who = k->o.config->server,
                                          .about = str_cut(&path, '?'),
                                          .outcome = t->result != HTTP_OK            ? "no answer"
                                                     : t->response.status / 100 == 2 ? "ok"
                                                                                     : status,
                                          .begun = begun});
}

static void tell_of_retry(struct kube *k, const struct kube_request *r, const struct attempt *t, int64_t ns)
{
    struct str path = r->target;
    log_debug(k->o.log, "request to the API server is sent again", LOG_Z("method", r->method),
              LOG_STR("path", str_cut(&path, '?')), LOG_INT("status", t->response.status), LOG_STR("why", t->why),
              LOG_INT("after_ms", ns / NS_PER_MS));
}

static bool pause_for(struct kube *k, int64_t ns, struct cancel *cancel)
{
    const struct http_time *time = k->o.time;
    return time->pause(time, ns, cancel);
}

enum kube_result kube_do(struct kube *k, struct arena *a, const struct kube_request *r, struct diags *diags,
                         const struct json **ret)
{
    const struct kube_identity *identity = NULL, *next;
    struct kube_outcome o = {.once = r->once};
    struct attempt t = {0};
    for (;;) {
        bool renew = o.renewed && identity;
        next = kube_auth_get(k->auth, renew ? identity : NULL, cancel_of(k, r), diags);
        if (identity)
            kube_auth_release(k->auth, identity);
        if (!next)
            return KUBE_UNAUTHORIZED;
        identity = next;
        int64_t begun = clock_now(&system_clock);
        send_once(k, a, r, identity, &t);
        tell(k, r, &t, begun);
        o.tries++;
        o.result = t.result;
        o.status = t.response.status;
        o.retry_after = retry_after(&t);
        int64_t ns = 0;
        if (k->limits.tries > 0 && o.tries >= k->limits.tries)
            break;
        enum kube_again again = kube_again(&o, k->o.time->chance(k->o.time), &ns);
        if (again == KUBE_AGAIN_NO)
            break;
        o.renewed = o.renewed || again == KUBE_AGAIN_AS_ANOTHER;
        tell_of_retry(k, r, &t, ns);
        if (again == KUBE_AGAIN && !pause_for(k, ns, cancel_of(k, r))) {
            t = (struct attempt){.result = HTTP_CANCELLED, .why = STR("cancelled")};
            break;
        }
    }
    struct str why = STR_EMPTY;
    if (t.result == HTTP_OK && t.response.status == 401)
        why = kube_expired(a, identity, k->o.config, http_wall(k->o.time));
    kube_auth_release(k->auth, identity);
    return t.result == HTTP_OK ? answered(k, a, r, &t, why, diags, ret) : no_answer(k, r, &t, diags);
}

/* Life */

struct kube *kube_new(const struct kube_options *options, struct diags *diags)
{
    struct kube *k = must(calloc(1, sizeof *k));
    k->o = *options;
    if (!k->o.time)
        k->o.time = &http_system_time;
    struct http_options http = {
        .loop = options->loop,
        .multiplex = true,
        .proxies = http_proxies(&(struct http_proxies){0}, options->env, NULL),
        .user_agent = options->user_agent,
    };
    k->http = http_new(&http, diags);
    if (!k->http) {
        free(k);
        return NULL;
    }
    k->auth = kube_auth_new(
        &(struct kube_auth_options){.loop = options->loop, .time = k->o.time, .env = options->env, .config = options->config});
    return k;
}

struct kube *kube_limited(const struct kube *k, const struct kube_limits *limits)
{
    struct kube *made = must(calloc(1, sizeof *made));
    *made = *k;
    made->limits = *limits;
    made->borrowed = true;
    return made;
}

void kube_free(struct kube *k)
{
    if (k && !k->borrowed) {
        http_free(k->http);
        kube_auth_free(k->auth);
    }
    free(k);
}

struct http *kube_http(const struct kube *k)
{
    return k->http;
}

struct kube_auth *kube_auth(const struct kube *k)
{
    return k->auth;
}

const struct kubeconfig *kube_config(const struct kube *k)
{
    return k->o.config;
}

const struct http_time *kube_time(const struct kube *k)
{
    return k->o.time;
}

struct log *kube_log(const struct kube *k)
{
    return k->o.log;
}
