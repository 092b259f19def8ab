/*
 * A state in chunks, as ReadStateBytes and WriteStateBytes move it: how it is cut, and how it is put together again. The same for
 * both sides, so that they cannot disagree.
 *
 * Chunks come in order and without gaps; a range's end is inclusive; every chunk says how long the whole is. A chunk without
 * bytes has no range that could be said so, and none is asked of it: it is an empty state, or carries diagnostics.
 */
#pragma once

#include "protocol/codec.h"

/* Sizes of a chunk: core proposes the first and accepts no more than the second. */
#define STATE_CHUNK_DEFAULT ((int64_t)8 << 20)
#define STATE_CHUNK_MAX ((int64_t)128 << 20)
/* Of a whole state. */
#define STATE_MAX CODEC_MAX_MESSAGE
/* A chunk costs more than its bytes, so their number is bounded too. */
#define STATE_MAX_CHUNKS ((size_t)1 << 20)

/* The size if chunks may be so large, else `otherwise`. */
int64_t state_chunk_size(int64_t size, int64_t otherwise);

/* The chunk of at most `size` bytes that begins at `at`; it points into the state, and names neither store nor state. */
struct state_chunk state_chunk_cut(struct str state, size_t at, int64_t size);

struct state_parts {
    struct buf bytes; /* wipe it at the end: states hold secrets */
    int64_t total;    /* as the first chunk said that said one */
    size_t n;
};
#define STATE_PARTS_INIT ((struct state_parts){.bytes = BUF_INIT(STATE_MAX)})

/* NULL, or what is wrong with the chunk: half a sentence. */
const char *state_parts_add(struct state_parts *parts, const struct state_chunk *chunk);
/* After the last chunk: NULL, or what is wrong with all of them. No chunk at all is an empty state. */
const char *state_parts_end(const struct state_parts *parts);
