/*
 * libcurl's multi interface on the loop. libcurl resolves names in a thread; with CURLOPT_QUICK_EXIT (transfer.c) an aborted
 * transfer abandons that thread instead of waiting for it here.
 */
#include "http/client_private.h"

#include <stdlib.h>

enum { MAX_IDLE_CONNECTIONS = 64, MAX_STREAMS = 1000, MAX_CONNECTIONS = 64 };

/* A socket that libcurl asked us to watch. */
struct watched_socket {
    uv_poll_t poll;
    struct http *http;
    curl_socket_t socket;
};

static void handle_closed(uv_handle_t *handle)
{
    struct http *http = handle->data;
    if (handle != (uv_handle_t *)&http->timer)
        free(handle); /* the first member of a struct watched_socket */
    if (--http->n_open == 0)
        completion_signal(&http->closed);
}

static void finish(struct transfer *t, CURLcode code)
{
    t->code = code;
    if (t->added)
        (void)t->curl->multi_remove_handle(t->http->multi, t->easy);
    t->added = false;
    t->ended(t); /* from here on it may have been freed */
}

static void collect_finished(struct http *http)
{
    int left;
    for (CURLMsg *message; (message = http->curl->multi_info_read(http->multi, &left));) {
        if (message->msg != CURLMSG_DONE)
            continue;
        struct transfer *t = NULL;
        CURLcode code = message->data.result; /* the message becomes invalid when the handle is removed */
        (void)http->curl->easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&t);
        finish(t, code);
    }
}

static void socket_ready(uv_poll_t *poll, int status, int events)
{
    struct watched_socket *w = (struct watched_socket *)poll;
    struct http *http = w->http;
    int flags = status < 0 ? CURL_CSELECT_ERR : 0;
    if (events & UV_READABLE)
        flags |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        flags |= CURL_CSELECT_OUT;
    int running;
    (void)http->curl->multi_socket_action(http->multi, w->socket, flags, &running);
    collect_finished(http);
}

static void timer_fired(uv_timer_t *timer)
{
    struct http *http = timer->data;
    int running;
    (void)http->curl->multi_socket_action(http->multi, CURL_SOCKET_TIMEOUT, 0, &running);
    collect_finished(http);
}

static int set_timer(CURLM *multi, long ms, void *arg)
{
    (void)multi;
    struct http *http = arg;
    if (uv_is_closing((uv_handle_t *)&http->timer))
        return 0;
    if (ms < 0)
        (void)uv_timer_stop(&http->timer);
    else
        (void)uv_timer_start(&http->timer, timer_fired, (uint64_t)ms, 0); /* also for 0: libcurl must not be re-entered here */
    return 0;
}

static struct watched_socket *watch_socket(struct http *http, curl_socket_t socket)
{
    struct watched_socket *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    if (uv_poll_init_socket(loop_uv(http->loop), &w->poll, socket) != 0) {
        free(w);
        return NULL;
    }
    w->poll.data = http;
    w->http = http;
    w->socket = socket;
    http->n_open++;
    (void)http->curl->multi_assign(http->multi, socket, w);
    return w;
}

static int set_socket(CURL *easy, curl_socket_t socket, int what, void *arg, void *socket_arg)
{
    (void)easy;
    struct http *http = arg;
    struct watched_socket *w = socket_arg;
    if (what == CURL_POLL_REMOVE) {
        if (w) {
            (void)http->curl->multi_assign(http->multi, socket, NULL);
            uv_close((uv_handle_t *)&w->poll, handle_closed);
        }
        return 0;
    }
    if (!w && !(w = watch_socket(http, socket)))
        return -1;
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);
    (void)uv_poll_start(&w->poll, events, socket_ready);
    return 0;
}

void multi_start(void *arg)
{
    struct http *http = arg;
    http->multi = http->curl->multi_init();
    if (!http->multi)
        abort();
    (void)uv_timer_init(loop_uv(http->loop), &http->timer);
    http->timer.data = http;
    http->n_open = 1;
    (void)http->curl->multi_setopt(http->multi, CURLMOPT_SOCKETFUNCTION, set_socket);
    (void)http->curl->multi_setopt(http->multi, CURLMOPT_SOCKETDATA, http);
    (void)http->curl->multi_setopt(http->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    (void)http->curl->multi_setopt(http->multi, CURLMOPT_TIMERDATA, http);
    (void)http->curl->multi_setopt(http->multi, CURLMOPT_MAXCONNECTS, (long)MAX_IDLE_CONNECTIONS);
    if (http->multiplex) {
        /* When all streams of a connection are in use, libcurl opens a new connection for each further request; so allow as many
         * streams as the server does. */
        (void)http->curl->multi_setopt(http->multi, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)MAX_STREAMS);
        (void)http->curl->multi_setopt(http->multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)MAX_CONNECTIONS);
    }
}

void multi_stop(void *arg)
{
    struct http *http = arg;
    (void)http->curl->multi_cleanup(http->multi); /* removes its sockets from the loop */
    uv_close((uv_handle_t *)&http->timer, handle_closed);
}

void transfer_add(void *arg)
{
    struct transfer *t = arg;
    if (t->curl->multi_add_handle(t->http->multi, t->easy) == CURLM_OK)
        t->added = true;
    else
        finish(t, CURLE_FAILED_INIT);
}

void transfer_abort(void *arg)
{
    struct transfer *t = arg;
    if (!t->added)
        return; /* over already; transfer_add() was posted before this */
    t->aborted = true;
    finish(t, CURLE_ABORTED_BY_CALLBACK);
}
