#include "jsonrpc/lines.h"

enum { KEEP = 1 << 20 }; /* a larger buffer is freed after its line */

void rpc_line_reader_init(struct rpc_line_reader *r, size_t max, void *ctx, void (*on_line)(void *ctx, struct str line),
                          void (*on_too_long)(void *ctx))
{
    *r = (struct rpc_line_reader){.part = BUF_INIT(max), .max = max, .ctx = ctx, .on_line = on_line, .on_too_long = on_too_long};
}

static void give_up_line(struct rpc_line_reader *r)
{
    r->skipping = true;
    buf_free(&r->part);
    r->on_too_long(r->ctx);
}

/* Takes a piece of a line, the last one if `ends`. */
static void take(struct rpc_line_reader *r, struct str piece, bool ends)
{
    if (!r->skipping && piece.n > r->max - r->part.n)
        give_up_line(r);
    if (r->skipping) {
        r->skipping = !ends;
        return;
    }
    /* A line that arrived in one piece needs no copy. */
    if (ends && r->part.n == 0) {
        r->on_line(r->ctx, piece);
        return;
    }
    buf_add(&r->part, piece);
    if (!ends)
        return;
    r->on_line(r->ctx, buf_str(&r->part));
    if (r->part.cap > KEEP)
        buf_free(&r->part);
    else
        buf_clear(&r->part);
}

void rpc_line_reader_feed(struct rpc_line_reader *r, struct str bytes)
{
    while (bytes.n > 0) {
        const char *feed = memchr(bytes.p, '\n', bytes.n);
        size_t n = feed ? (size_t)(feed - bytes.p) : bytes.n;
        take(r, (struct str){bytes.p, n}, feed != NULL);
        bytes = str_slice(bytes, n + (feed != NULL), bytes.n);
    }
}

void rpc_line_reader_end(struct rpc_line_reader *r)
{
    if (!r->skipping && r->part.n > 0)
        r->on_line(r->ctx, buf_str(&r->part));
    buf_free(&r->part);
    r->skipping = false;
}
