#include "protocol/state_chunks.h"

int64_t state_chunk_size(int64_t size, int64_t otherwise)
{
    return size > 0 && size <= STATE_CHUNK_MAX ? size : otherwise;
}

struct state_chunk state_chunk_cut(struct str state, size_t at, int64_t size)
{
    struct str bytes = str_slice(state, at, at + (size_t)size);
    return (struct state_chunk){
        .type_name = STR_EMPTY,
        .state_id = STR_EMPTY,
        .bytes = bytes,
        .total_length = (int64_t)state.n,
        .start = (int64_t)at,
        .end = bytes.n > 0 ? (int64_t)(at + bytes.n - 1) : (int64_t)at,
    };
}

const char *state_parts_add(struct state_parts *parts, const struct state_chunk *chunk)
{
    int64_t have = (int64_t)parts->bytes.n, more = (int64_t)chunk->bytes.n;
    if (parts->n++ == STATE_MAX_CHUNKS)
        return "there are too many of them";
    if (chunk->total_length < 0 || (uint64_t)chunk->total_length > STATE_MAX)
        return "the total length is not one a state can have";
    if (parts->total == 0)
        parts->total = chunk->total_length;
    if (more == 0)
        return NULL;
    if (chunk->total_length != parts->total)
        return "they do not agree about the total length";
    if (chunk->start != have || chunk->end != have + more - 1)
        return "a range is not where the one before it ended, or not as long as its bytes";
    if (more > parts->total - have)
        return "together they are longer than announced";
    buf_add(&parts->bytes, chunk->bytes);
    return buf_ok(&parts->bytes) ? NULL : "out of memory";
}

const char *state_parts_end(const struct state_parts *parts)
{
    return parts->total == (int64_t)parts->bytes.n ? NULL : "together they are not as long as announced";
}
