/* For tests of the codec: one call of one protocol, with everything it needs. */
#pragma once

#include "protocol/testing_codec.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { MAX_BYTES = 1 << 20 };

struct fixture {
    struct arena *arena;
    const struct codec *codec;
    const struct provider_schema *schema;
    struct diags diags;
    struct coding coding;
    struct buf bytes;
};

static inline void begin(struct fixture *f, int protocol, enum rpc rpc)
{
    f->arena = arena_new(NULL, 0);
    f->codec = codec_for(protocol);
    f->schema = testing_schema(f->arena, protocol);
    diags_init(&f->diags, f->arena);
    f->coding = (struct coding){
        .codec = f->codec, .rpc = rpc, .schema = f->schema, .arena = f->arena, .diags = &f->diags, .provider = STR("test")};
    f->bytes = BUF_INIT(MAX_BYTES);
}

static inline void end(struct fixture *f)
{
    buf_free(&f->bytes);
    arena_free(f->arena);
}

static inline void must_be_equal(const struct fixture *f, const char *what, struct str expected, struct str found)
{
    if (!str_eq(expected, found))
        fail_msg("protocol %d, " STR_FMT ", %s:\nexpected:\n" STR_FMT "\nfound:\n" STR_FMT, f->codec->protocol,
                 STR_ARG(f->codec->calls[f->coding.rpc]->name), what, STR_ARG(expected), STR_ARG(found));
}

static inline void must_be_clean(const struct fixture *f)
{
    must_be_equal(f, "diagnostics", STR_EMPTY, testing_diags_text(f->arena, &f->diags));
}

static inline void *empty_struct(const struct fixture *f, size_t size)
{
    return memset(arena_alloc(f->arena, size, alignof(max_align_t)), 0x5a, size); /* so that a field that is not written shows */
}
