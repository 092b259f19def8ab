/*
 * A stream of bytes as lines. A line is handed on without its line feed and lives until the function returns; the last one may
 * lack the line feed. A line of more than `max` bytes is not kept: it is reported once, and the rest of it is read over.
 */
#pragma once

#include "base/buf.h"

struct rpc_line_reader {
    struct buf part; /* of a line that goes on */
    size_t max;
    bool skipping; /* the rest of a line that is too long */
    void *ctx;
    void (*on_line)(void *ctx, struct str line);
    void (*on_too_long)(void *ctx);
};

void rpc_line_reader_init(struct rpc_line_reader *r, size_t max, void *ctx, void (*on_line)(void *ctx, struct str line),
                          void (*on_too_long)(void *ctx));
void rpc_line_reader_feed(struct rpc_line_reader *r, struct str bytes);
/* The end of the stream; frees. */
void rpc_line_reader_end(struct rpc_line_reader *r);
