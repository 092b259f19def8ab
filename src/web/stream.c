/* Answers in pieces. The connection's thread asks for the next piece when the kernel has taken the previous one. */
#include "base/must.h"
#include "web/server_private.h"

#include <stdlib.h>

#define SLICE_NS (500 * NS_PER_MS) /* so that a stop of the server is noticed */
enum { BLOCK = 32 << 10 };

struct streaming {
    struct web_server *server;
    struct MHD_Connection *connection;
    struct web_stream stream;
    struct buf piece;
    size_t sent; /* bytes of `piece` */
    bool over;
};

/* False: the stream is complete. */
static bool fill(struct streaming *t)
{
    int64_t beat = clock_now(&system_clock) + WEB_BEAT_S * NS_PER_S;
    buf_clear(&t->piece);
    t->sent = 0;
    while (!t->over && t->piece.n == 0) {
        int64_t now = clock_now(&system_clock);
        if (atomic_load(&t->server->stopping))
            return false;
        if (now >= beat) {
            buf_addz(&t->piece, ": alive\n\n");
            return true;
        }
        t->over = !t->stream.next(t->stream.ctx, &t->piece, now + SLICE_NS < beat ? now + SLICE_NS : beat) || !buf_ok(&t->piece);
    }
    return t->piece.n > 0;
}

static ssize_t read_piece(void *ctx, uint64_t position, char *out, size_t max)
{
    (void)position;
    struct streaming *t = ctx;
    if (t->sent == t->piece.n) {
        connections_note(t->server->connections, t->connection, CONNECTION_LISTENS);
        bool more = fill(t);
        connections_note(t->server->connections, t->connection, CONNECTION_SENDS);
        if (!more)
            return MHD_CONTENT_READER_END_OF_STREAM;
    }
    size_t n = t->piece.n - t->sent < max ? t->piece.n - t->sent : max;
    memcpy(out, t->piece.p + t->sent, n);
    t->sent += n;
    return (ssize_t)n;
}

static void end(void *ctx)
{
    struct streaming *t = ctx;
    t->stream.end(t->stream.ctx);
    atomic_fetch_sub(&t->server->n_streams, 1);
    buf_free(&t->piece);
    free(t);
}

enum MHD_Result stream_answer(struct web_server *s, struct MHD_Connection *connection, const struct web_stream *stream,
                              struct MHD_Response **ret)
{
    struct streaming *t = must(calloc(1, sizeof *t));
    *t = (struct streaming){.server = s, .connection = connection, .stream = *stream, .piece = BUF_INIT(WEB_MAX_ANSWER)};
    bool ok = atomic_fetch_add(&s->n_streams, 1) < WEB_MAX_STREAMS;
    *ret = ok ? s->mhd->create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_piece, t, end) : NULL;
    if (!*ret)
        end(t);
    return *ret ? MHD_YES : MHD_NO;
}
