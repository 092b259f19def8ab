/*
 * Splits a state into the chunks of ReadStateBytes and WriteStateBytes, and joins them again. Client and server both use this, so
 * that they cannot disagree.
 *
 * Chunks come in order and without gaps; a range's end is inclusive; every chunk has the length of the whole state. A chunk
 * without bytes cannot have an inclusive range, so its range is not checked: it is an empty state, or carries diagnostics.
 */
#pragma once

#include "protocol/codec.h"

/* Chunk sizes: core proposes the first, and accepts at most the second. */
#define STATE_CHUNK_DEFAULT ((int64_t)8 << 20)
#define STATE_CHUNK_MAX ((int64_t)128 << 20)
/* Of a whole state. */
#define STATE_MAX CODEC_MAX_MESSAGE
/* Each chunk has overhead, so their number is limited too. */
#define STATE_MAX_CHUNKS ((size_t)1 << 20)

/* `size` if it is a valid chunk size, else `otherwise`. */
int64_t state_chunk_size(int64_t size, int64_t otherwise);

/* The chunk of at most `size` bytes that begins at `at`; it points into the state; its type name and state id are empty. */
struct state_chunk state_chunk_cut(struct str state, size_t at, int64_t size);

struct state_parts {
    struct buf bytes; /* wipe it at the end: states hold secrets */
    int64_t total;    /* of the first chunk that has one */
    size_t n;
};
#define STATE_PARTS_INIT ((struct state_parts){.bytes = BUF_INIT(STATE_MAX)})

/* NULL, or what is wrong with the chunk, as a clause. */
const char *state_parts_add(struct state_parts *parts, const struct state_chunk *chunk);
/* After the last chunk: NULL, or what is wrong with the sequence, as a clause. No chunk at all is an empty state. */
const char *state_parts_end(const struct state_parts *parts);
