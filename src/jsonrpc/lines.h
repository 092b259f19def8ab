/*
 * Splits a stream of bytes into lines. A line is passed to on_line() without its line feed and is valid until that returns; the
 * last line need not end with a line feed. A line of more than `max` bytes is not kept: it is reported once, and the rest of it
 * is skipped.
 */
#pragma once

#include "base/buf.h"

struct rpc_line_reader {
    struct buf part; /* of a line that has not ended yet */
    size_t max;
    bool skipping; /* skipping the rest of a line that is too long */
    void *ctx;
    void (*on_line)(void *ctx, struct str line);
    void (*on_too_long)(void *ctx);
};

void rpc_line_reader_init(struct rpc_line_reader *r, size_t max, void *ctx, void (*on_line)(void *ctx, struct str line),
                          void (*on_too_long)(void *ctx));
void rpc_line_reader_feed(struct rpc_line_reader *r, struct str bytes);
/* The end of the stream: passes on the last line, and frees the buffer. */
void rpc_line_reader_end(struct rpc_line_reader *r);
