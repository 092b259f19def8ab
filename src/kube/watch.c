#include "kube/watch.h"

#include "base/must.h"
#include "http/stream.h"
#include "kube/client_private.h"
#include "kube/objects.h"
#include "kube/retry.h"

#include <assert.h>
#include <inttypes.h>

enum {
    MIN_SECONDS = 300, /* the server ends a watch after this time, or at random up to twice that */
    GRACE_SECONDS = 60,
    MAX_VERSION = 256,
    MAX_HEADERS = 512,
};
#define MAX_BACKOFF_NS (30 * NS_PER_S)
#define CALM_NS (120 * NS_PER_S) /* after this long without a failure the backoff starts over */
#define SHORT_NS NS_PER_S        /* a watch that ends this soon without an event counts as failed */

struct kube_watch {
    struct kube *k;
    struct arena *arena;
    struct str target; /* URL without the version */
    void (*wake)(void *ctx);
    void *ctx;
    struct buf version;
    struct kube_frames frames;
    struct http_stream *stream; /* NULL: not connected */
    const struct kube_identity *identity;
    int64_t opened, due, failed_at; /* due: when to connect */
    int64_t max_pause;
    int failures;   /* in a row */
    bool has_event; /* an event has come on this connection */
    bool renew, renewed, expired;
};

static int64_t now_of(const struct kube_watch *w)
{
    return clock_now(kube_time(w->k)->clock);
}

static double chance_of(const struct kube_watch *w)
{
    return kube_time(w->k)->chance(kube_time(w->k));
}

static void keep_version(struct kube_watch *w, struct str version)
{
    buf_clear(&w->version);
    buf_add(&w->version, str_slice(version, 0, MAX_VERSION));
}

/* Connecting */

static void drop_identity(struct kube_watch *w)
{
    if (w->identity)
        kube_auth_release(kube_auth(w->k), w->identity);
    w->identity = NULL;
}

static void disconnect(struct kube_watch *w)
{
    http_stream_close(w->stream);
    w->stream = NULL;
    kube_frames_clear(&w->frames);
}

static struct str url_of(struct arena *a, struct kube_watch *w, int64_t seconds)
{
    struct buf url BUF_AUTO = BUF_INIT(HTTP_MAX_HEADERS);
    buf_add(&url, kube_config(w->k)->server);
    buf_add(&url, w->target);
    kube_query(&url, "timeoutSeconds", arena_printf(a, "%" PRId64, seconds));
    kube_query(&url, "resourceVersion", buf_str(&w->version));
    return buf_copy(&url, a);
}

static bool connect_now(struct kube_watch *w, struct diags *diags)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    const struct kube_identity *identity = kube_auth_get(kube_auth(w->k), w->renew ? w->identity : NULL, NULL, diags);
    drop_identity(w);
    w->renew = false;
    if (!identity)
        return false;
    w->identity = identity;
    struct http_header headers[MAX_HEADERS] = {{STR("Accept"), STR("application/json")}};
    size_t n = 1;
    for (size_t i = 0; i < identity->n_headers && n < MAX_HEADERS; i++)
        headers[n++] = identity->headers[i];
    int64_t seconds = MIN_SECONDS + (int64_t)((double)MIN_SECONDS * chance_of(w));
    struct http_request request = {
        .method = "GET",
        .url = url_of(a, w, seconds),
        .headers = headers,
        .n_headers = n,
        .timeout_ns = (seconds + GRACE_SECONDS) * NS_PER_S,
        .max_body = KUBE_WATCH_ROOM,
        .proxy = kube_config(w->k)->proxy,
        .tls = &identity->tls,
    };
    w->opened = now_of(w);
    w->has_event = false;
    w->stream = http_stream_open(kube_http(w->k), &request, w->wake, w->ctx);
    return w->stream || diags_fail(diags, "No answer from the API server", STR_FMT " is not an address that can be asked.",
                                   STR_ARG(kube_config(w->k)->server));
}

static void connect_later(struct kube_watch *w, int64_t at_least)
{
    int64_t now = now_of(w);
    w->failures = w->failed_at != 0 && now - w->failed_at > CALM_NS ? 1 : w->failures + 1;
    w->failed_at = now;
    int64_t ns = kube_backoff(w->failures, w->max_pause, chance_of(w));
    w->due = now + (ns > at_least ? ns : at_least);
}

/* The end of a connection */

static void tell(struct kube_watch *w, long status, struct str why)
{
    struct str path = w->target;
    log_debug(kube_log(w->k), "watch is taken up again", LOG_STR("path", str_cut(&path, '?')), LOG_INT("status", status),
              LOG_STR("why", why), LOG_INT("failures", w->failures));
}

static enum kube_watch_state expired(struct kube_watch *w, struct diags *diags)
{
    struct kube_right right = kube_right("GET", w->target);
    w->expired = true;
    disconnect(w);
    (void)diags_fail(diags, "Version no longer known",
                     STR_FMT ": the API server no longer has all changes since version " STR_FMT
                             ". List again, and watch from there.",
                     STR_ARG(kube_right_text(diags->arena, &right)), STR_ARG(buf_str(&w->version)));
    return KUBE_WATCH_EXPIRED;
}

/* The server refused: by its HTTP status, or by an ERROR event in the stream. */
static enum kube_watch_state refused(struct kube_watch *w, long status, const struct json *answer, int64_t retry_after,
                                     struct diags *diags)
{
    struct kube_right right = kube_right("GET", w->target);
    enum kube_result result = kube_result_of(status, answer);
    if (result == KUBE_GONE)
        return expired(w, diags);
    bool renew = result == KUBE_UNAUTHORIZED && !w->renewed;
    disconnect(w);
    if (renew) {
        w->renew = w->renewed = true;
        w->due = 0;
        return KUBE_WATCH_NOTHING;
    }
    w->renewed = false;
    w->renew = result == KUBE_UNAUTHORIZED;
    connect_later(w, retry_after > 0 ? (retry_after < 60 ? retry_after : 60) * NS_PER_S : 0);
    tell(w, status, json_text(json_get(answer, "message"), STR_EMPTY));
    if (result == KUBE_UNAVAILABLE)
        return KUBE_WATCH_NOTHING;
    kube_explain(diags, status, answer, &right, STR_EMPTY);
    return KUBE_WATCH_FAILED;
}

/* The stream has ended and all its complete lines were read. */
static enum kube_watch_state take_end(struct kube_watch *w, struct arena *a, struct diags *diags)
{
    struct http_response response;
    struct str why = STR_EMPTY;
    enum http_result result = http_stream_result(w->stream, a, &response, &why);
    long status = http_stream_status(w->stream);
    if (result == HTTP_OK && status != 200) {
        struct diags unread;
        int64_t after = 0;
        diags_init(&unread, a);
        (void)str_to_i64(http_response_header(&response, "retry-after"), &after);
        return refused(w, status, json_parse(a, kube_frames_rest(&w->frames), "answer", &unread), after, diags);
    }
    bool behind = result == HTTP_TOO_LARGE;
    bool in_order = result == HTTP_OK && (w->has_event || now_of(w) - w->opened >= SHORT_NS);
    disconnect(w);
    if (result == HTTP_UNTRUSTED)
        w->renew = true;
    if (behind || in_order)
        w->due = 0;
    else
        connect_later(w, 0);
    tell(w, status, why);
    return KUBE_WATCH_NOTHING;
}

/* True: `*ret_state` is to be returned. */
static bool take_line(struct kube_watch *w, struct arena *a, struct str line, struct diags *diags, struct kube_event *ret,
                      enum kube_watch_state *ret_state)
{
    struct kube_event event = kube_event_read(a, line);
    *ret_state = KUBE_WATCH_NOTHING;
    switch (event.kind) {
    case KUBE_EVENT_BAD:
        disconnect(w);
        connect_later(w, 0);
        tell(w, 0, STR("what came is not an event"));
        return false;
    case KUBE_EVENT_ERROR:
        *ret_state = refused(w, (long)json_int(json_get(event.object, "code"), 500), event.object, 0, diags);
        return *ret_state != KUBE_WATCH_NOTHING;
    case KUBE_EVENT_BOOKMARK:
        keep_version(w, event.version);
        w->has_event = true;
        return false;
    default:
        keep_version(w, event.version);
        w->has_event = true;
        w->renewed = false;
        *ret = event;
        *ret_state = KUBE_WATCH_EVENT;
        return true;
    }
}

/* The body of a status other than 200 may look like lines, but is not read as lines. */
static bool has_lines(const struct kube_watch *w)
{
    return http_stream_status(w->stream) == 200;
}

/* Reads what an open stream has; true: `*ret_state` is to be returned. */
static bool step(struct kube_watch *w, struct arena *a, struct diags *diags, struct kube_event *ret,
                 enum kube_watch_state *ret_state)
{
    struct str line;
    enum kube_frame frame = has_lines(w) ? kube_frames_next(&w->frames, &line) : KUBE_FRAME_NONE;
    if (frame == KUBE_FRAME_LINE)
        return take_line(w, a, line, diags, ret, ret_state);
    if (frame == KUBE_FRAME_TOO_LONG) {
        disconnect(w);
        connect_later(w, 0);
        (void)diags_fail(diags, "Event is too large", "The API server sent an event of more than %d bytes.", KUBE_FRAME_MAX);
        *ret_state = KUBE_WATCH_FAILED;
        return true;
    }
    switch (http_stream_read(w->stream, kube_frames_room(&w->frames))) {
    case HTTP_STREAM_SOME:
        return false;
    case HTTP_STREAM_END:
        *ret_state = take_end(w, a, diags);
        return *ret_state != KUBE_WATCH_NOTHING;
    default:
        *ret_state = KUBE_WATCH_NOTHING;
        return true;
    }
}

enum kube_watch_state kube_watch_poll(struct kube_watch *w, struct arena *a, struct diags *diags, struct kube_event *ret,
                                      int64_t *ret_due)
{
    enum kube_watch_state state = KUBE_WATCH_NOTHING;
    *ret_due = NO_DEADLINE;
    if (w->expired)
        return expired(w, diags);
    for (;;) {
        if (w->stream) {
            if (step(w, a, diags, ret, &state))
                return state;
        } else if (w->due > now_of(w)) {
            *ret_due = w->due;
            return KUBE_WATCH_NOTHING;
        } else if (!connect_now(w, diags)) {
            connect_later(w, 0);
            return KUBE_WATCH_FAILED;
        }
    }
}

struct str kube_watch_version(const struct kube_watch *w)
{
    return buf_str(&w->version);
}

/* Life */

struct kube_watch *kube_watch_open(struct kube *k, const struct kube_watch_options *o)
{
    assert(o->version.n > 0 && !str_eqz(o->version, "0"));
    struct arena *a = arena_new(NULL, 0);
    struct kube_watch *w = arena_make(a, struct kube_watch);
    struct buf target BUF_AUTO = BUF_INIT(HTTP_MAX_HEADERS);
    buf_add(&target, kube_path(a, o->at));
    kube_query(&target, "watch", STR("1"));
    kube_query(&target, "allowWatchBookmarks", STR("true"));
    if (o->which.labels.n > 0)
        kube_query(&target, "labelSelector", o->which.labels);
    if (o->which.fields.n > 0)
        kube_query(&target, "fieldSelector", o->which.fields);
    *w = (struct kube_watch){.k = k,
                             .arena = a,
                             .target = buf_copy(&target, a),
                             .wake = o->wake,
                             .ctx = o->ctx,
                             .max_pause = o->max_pause_ns > 0 ? o->max_pause_ns : MAX_BACKOFF_NS};
    w->version = BUF_INIT(MAX_VERSION + 1);
    kube_frames_init(&w->frames, KUBE_WATCH_ROOM);
    keep_version(w, o->version);
    return w;
}

void kube_watch_close(struct kube_watch *w)
{
    if (!w)
        return;
    disconnect(w);
    drop_identity(w);
    kube_frames_free(&w->frames);
    buf_free(&w->version);
    arena_free(w->arena);
}
