/*
 * A response that is read as it arrives, such as the endless one of a Kubernetes watch.
 *
 * No function here waits. `wake` is called on the loop's thread when there is something to read, and must not block. So a thread
 * that reads several streams can wait for all of them at once.
 *
 * Unread bytes are kept, at most the request's `max_body`. When the reader falls further behind, the stream is ended
 * (HTTP_TOO_LARGE), not paused: libcurl cannot pause one stream of a connection without delaying the others. The reader has to
 * request the rest again when it has caught up.
 */
#pragma once

#include "http/client.h"

struct http_stream;

/*
 * Sends a request without a body. The request may be freed after the call; its `cancel` is ignored. NULL when the URL or a header
 * is not valid. Close the stream before the client is freed. Must not be called on the loop's thread.
 */
struct http_stream *http_stream_open(struct http *http, const struct http_request *request, void (*wake)(void *ctx), void *ctx);
/* Ends the stream if it is still open; after it returns `wake` is not called any more. NULL is accepted. */
void http_stream_close(struct http_stream *s);

enum http_stream_state {
    HTTP_STREAM_NOTHING, /* nothing to read now */
    HTTP_STREAM_SOME,    /* bytes were appended */
    HTTP_STREAM_END,     /* the stream has ended */
};
/* Moves the bytes received so far (at most the request's `max_body`) to the end of `into`, which must have room for them. */
enum http_stream_state http_stream_read(struct http_stream *s, struct buf *into);
/* The response's status; 0 until a part of its body has been read or the stream has ended. */
long http_stream_status(struct http_stream *s);
/* For use after HTTP_STREAM_END: HTTP_OK when the response is complete, else *reterr_why (may be NULL) says what happened. `*ret`
 * has no body. */
enum http_result http_stream_result(struct http_stream *s, struct arena *a, struct http_response *ret, struct str *reterr_why);
