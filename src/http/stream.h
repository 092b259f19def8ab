/*
 * An answer that is read while it comes, as the endless ones of a Kubernetes watch.
 *
 * Nothing here waits: `wake` tells that there is something to read, on the loop's thread, and must not block. So whoever reads
 * several streams can wait for all of them at once.
 *
 * What was not read yet is kept, at most `max_body` bytes of the request. A stream whose reader falls further behind is ended
 * (HTTP_TOO_LARGE), not paused: libcurl cannot pause one stream of a connection without holding up the others. Whoever reads asks
 * again from where he is, once he has caught up.
 */
#pragma once

#include "http/client.h"

struct http_stream;

/*
 * Sends a request without a body. It may be forgotten when this returns; its `cancel` is not looked at. NULL: not a URL that can
 * be asked, or a header that cannot be sent. Close it before the client is freed; not from the loop's thread.
 */
struct http_stream *http_stream_open(struct http *http, const struct http_request *request, void (*wake)(void *ctx), void *ctx);
/* Ends it if need be; `wake` is not called any more when this has returned. NULL is accepted. */
void http_stream_close(struct http_stream *s);

enum http_stream_state {
    HTTP_STREAM_NOTHING, /* now */
    HTTP_STREAM_SOME,    /* bytes were appended */
    HTTP_STREAM_END,     /* nothing will come any more */
};
/* Moves what has come to the end of `into`, which has room for it: at most the request's `max_body` bytes. */
enum http_stream_state http_stream_read(struct http_stream *s, struct buf *into);
/* The answer's status; 0 as long as nothing of its body has been read and it has not ended. */
long http_stream_status(struct http_stream *s);
/* After HTTP_STREAM_END: HTTP_OK when the answer is whole, else *reterr_why (may be NULL) says what happened. `*ret` has no body.
 */
enum http_result http_stream_result(struct http_stream *s, struct arena *a, struct http_response *ret, struct str *reterr_why);
