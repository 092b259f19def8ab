/*
 * One exchange. It lives on the stack of the worker that waits for it. The cancel watch may have posted an abort that is still
 * queued when the transfer ends by itself, so the worker lets the loop run all posted tasks before it returns.
 */
#include "http/client_private.h"

#include <assert.h>
#include <stdlib.h>

struct exchange {
    struct transfer transfer; /* the first member */
    struct buf body;
    const struct http_request *request;
    struct arena *arena; /* for `head`, which is parsed when the first bytes for the sink arrive */
    struct http_response head;
    atomic_bool abort_posted;
    struct completion done;
};

static bool goes_to_sink(struct exchange *e)
{
    if (!e->request->sink)
        return false;
    if (e->head.status == 0)
        transfer_read_head(e->arena, &e->transfer, &e->head);
    return e->head.status == 200 || e->head.status == 206;
}

static bool take_body(struct transfer *t, struct str bytes)
{
    struct exchange *e = (struct exchange *)t;
    if (goes_to_sink(e))
        return e->request->sink(e->request->sink_ctx, &e->head, bytes);
    buf_add(&e->body, bytes);
    return buf_ok(&e->body);
}

static void ended(struct transfer *t)
{
    completion_signal(&((struct exchange *)t)->done);
}

static void cancelled(void *arg)
{
    struct exchange *e = arg;
    atomic_store(&e->abort_posted, true);
    loop_post(e->transfer.http->loop, transfer_abort, &e->transfer);
}

static void nothing(void *arg)
{
    (void)arg;
}

static void run(struct exchange *e, struct cancel *cancel)
{
    struct loop *loop = e->transfer.http->loop;
    /* Checked here, because an abort posted after the transfer may come too late: the loop may have the response by then. */
    if (cancel_fired(cancel)) {
        e->transfer.aborted = true;
        return;
    }
    struct cancel_watch watch = {.fn = cancelled, .arg = e};
    completion_init(&e->done);
    loop_post(loop, transfer_add, &e->transfer);
    cancel_watch(cancel, &watch);
    (void)completion_wait(&e->done, NO_DEADLINE); /* libcurl has a timeout */
    cancel_unwatch(cancel, &watch);
    if (atomic_load(&e->abort_posted))
        loop_call(loop, nothing, NULL); /* the abort may still be in the queue */
    completion_destroy(&e->done);
}

enum http_result http_do(struct http *http, struct arena *a, const struct http_request *request, struct http_response *ret,
                         struct str *reterr_why)
{
    assert(!loop_is_current(http->loop));
    struct exchange e = {.transfer = {.take = take_body, .ended = ended}, .request = request, .arena = a};
    struct transfer *t = &e.transfer;
    enum http_result result = HTTP_BAD_URL;
    if (transfer_prepare(t, http, request)) {
        e.body = BUF_INIT(t->max_body);
        run(&e, request->cancel);
        result = transfer_result(t);
    }
    if (result == HTTP_OK) {
        *ret = (struct http_response){.body = buf_copy(&e.body, a)};
        transfer_read_head(a, t, ret);
    } else if (reterr_why) {
        *reterr_why = transfer_why(a, t, result);
    }
    transfer_clear(t);
    buf_wipe(&e.body);
    return result;
}

const struct http_header *http_header_find(const struct http_header *headers, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_nocase(headers[i].name, name))
            return &headers[i];
    return NULL;
}

struct str http_response_header(const struct http_response *response, const char *name)
{
    const struct http_header *header = http_header_find(response->headers, response->n_headers, str_of(name));
    return header ? header->value : STR_EMPTY;
}

const struct lazy_curl *http_curl(const struct http *http)
{
    return http->curl;
}

struct str http_user_agent(const struct http *http)
{
    return str_of(http->user_agent);
}

static char *copy(const char *text)
{
    char *made = text ? strdup(text) : NULL;
    if (text && !made)
        abort();
    return made;
}

struct http *http_new(const struct http_options *options, struct diags *diags)
{
    const struct lazy_curl *curl = lazy_curl(diags);
    if (!curl)
        return NULL;
    struct http *http = calloc(1, sizeof *http);
    if (!http || curl->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        abort();
    http->curl = curl;
    http->loop = options->loop;
    http->insecure = options->insecure;
    http->multiplex = options->multiplex;
    http->ca_file = copy(options->ca_file);
    http->http_proxy = copy(options->proxies.http);
    http->https_proxy = copy(options->proxies.https);
    http->no_proxy = copy(options->proxies.none_for);
    http->user_agent = strndup(options->user_agent.n > 0 ? options->user_agent.p : "", options->user_agent.n);
    completion_init(&http->closed);
    loop_call(http->loop, multi_start, http);
    return http;
}

void http_free(struct http *http)
{
    if (!http)
        return;
    loop_call(http->loop, multi_stop, http);
    (void)completion_wait(&http->closed, NO_DEADLINE);
    completion_destroy(&http->closed);
    free(http->ca_file);
    free(http->http_proxy);
    free(http->https_proxy);
    free(http->no_proxy);
    free(http->user_agent);
    http->curl->global_cleanup();
    free(http);
}
