#include "http/stream.h"

#include "base/lock.h"
#include "base/must.h"
#include "http/client_private.h"

#include <assert.h>

enum { KEEP = 64 << 10 }; /* keep up to this much memory for the next bytes */

struct http_stream {
    struct transfer transfer; /* the first member */
    void (*wake)(void *ctx);
    void *ctx;
    pthread_mutex_t lock; /* guards everything below */
    struct buf in;
    long status;
    bool over;
};

/* On the loop's thread */

static void note_status(struct http_stream *s)
{
    if (s->status == 0)
        (void)s->transfer.curl->easy_getinfo(s->transfer.easy, CURLINFO_RESPONSE_CODE, &s->status);
}

static bool take(struct transfer *t, struct str bytes)
{
    struct http_stream *s = (struct http_stream *)t;
    mutex_lock(&s->lock);
    note_status(s);
    buf_add(&s->in, bytes);
    bool ok = buf_ok(&s->in);
    mutex_unlock(&s->lock);
    s->wake(s->ctx);
    return ok;
}

static void ended(struct transfer *t)
{
    struct http_stream *s = (struct http_stream *)t;
    mutex_lock(&s->lock);
    note_status(s);
    s->over = true;
    mutex_unlock(&s->lock);
    s->wake(s->ctx);
}

/* On the reader's */

static void stream_free(struct http_stream *s)
{
    transfer_clear(&s->transfer);
    buf_wipe(&s->in);
    mutex_destroy(&s->lock);
    free(s);
}

struct http_stream *http_stream_open(struct http *http, const struct http_request *request, void (*wake)(void *ctx), void *ctx)
{
    assert(request->body.n == 0 && !loop_is_current(http->loop));
    struct http_stream *s = must(calloc(1, sizeof *s));
    s->transfer.take = take;
    s->transfer.ended = ended;
    s->wake = wake;
    s->ctx = ctx;
    mutex_init(&s->lock);
    if (!transfer_prepare(&s->transfer, http, request)) {
        stream_free(s);
        return NULL;
    }
    s->in = BUF_INIT(s->transfer.max_body);
    loop_post(http->loop, transfer_add, &s->transfer);
    return s;
}

void http_stream_close(struct http_stream *s)
{
    if (!s)
        return;
    loop_call(s->transfer.http->loop, transfer_abort, &s->transfer);
    stream_free(s);
}

enum http_stream_state http_stream_read(struct http_stream *s, struct buf *into)
{
    MUTEX_GUARD(&s->lock);
    if (s->in.n > 0) {
        buf_add(into, buf_str(&s->in));
        if (s->in.cap > KEEP)
            buf_wipe(&s->in);
        else
            buf_clear(&s->in);
        return HTTP_STREAM_SOME;
    }
    return s->over ? HTTP_STREAM_END : HTTP_STREAM_NOTHING;
}

long http_stream_status(struct http_stream *s)
{
    MUTEX_GUARD(&s->lock);
    return s->status;
}

enum http_result http_stream_result(struct http_stream *s, struct arena *a, struct http_response *ret, struct str *reterr_why)
{
    enum http_result result = transfer_result(&s->transfer);
    *ret = (struct http_response){.body = STR_EMPTY};
    if (result == HTTP_OK)
        transfer_read_head(a, &s->transfer, ret);
    else if (reterr_why)
        *reterr_why = transfer_why(a, &s->transfer, result);
    return result;
}
