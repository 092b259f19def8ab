/*
 * The four directions of a call, for both protocols: reading guards, unpacks and filters a message; writing filters and packs it.
 */
#include "protocol/codec.h"

#include "protocol/codec_private.h"

#include <assert.h>

const struct codec *codec_for(int protocol)
{
    assert(protocol == 5 || protocol == 6);
    return protocol == 5 ? &codec5 : &codec6;
}

enum rpc codec_find(const struct codec *codec, struct str method)
{
    for (size_t i = 0; i < RPC_COUNT; i++)
        if (codec->calls[i] && str_eq(codec->calls[i]->method, method))
            return (enum rpc)i;
    return RPC_COUNT;
}

static const struct codec_call *call_of(const struct coding *c)
{
    const struct codec_call *call = c->codec->calls[c->rpc];
    assert(call);
    return call;
}

/* Filters do not write to `plain` when the direction is OUT, so its const may be dropped. */
static bool write_message(struct coding *c, const struct codec_message *m, enum coding_direction direction, const void *plain,
                          struct buf *out)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    c->direction = direction;
    c->failed = false;
    c->scratch = scratch;
    struct diags unfit; /* errors about a response, which are sent in it and not returned */
    struct diags *diags = c->diags;
    diags_init(&unfit, scratch);
    if (direction == RESPONSE_OUT)
        c->diags = &unfit;
    void *message = message_new(scratch, m->descriptor);
    if (m->filter)
        m->filter(c, message, (void *)plain);
    c->diags = diags;
    c->scratch = NULL;
    if (c->failed && direction == REQUEST_OUT)
        return false;
    return message_pack(out, message);
}

static bool read_message(struct coding *c, const struct codec_message *m, enum coding_direction direction, struct str bytes,
                         void *ret)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    c->direction = direction;
    c->failed = false;
    c->scratch = scratch;
    struct str problem = STR_EMPTY;
    void *message = proto_guard_unpack(scratch, m->descriptor, bytes, &problem);
    if (!message)
        coding_fail_message(c, problem);
    else if (m->filter)
        m->filter(c, message, ret);
    c->scratch = NULL;
    return !c->failed;
}

bool coding_write_request(struct coding *c, const void *request, struct buf *out)
{
    if (!write_message(c, &call_of(c)->request, REQUEST_OUT, request, out)) {
        if (!buf_ok(out))
            coding_fail_message(c, STR("the request is larger than a message may be"));
        return false;
    }
    return true;
}

bool coding_read_request(struct coding *c, struct str bytes, void *ret)
{
    return read_message(c, &call_of(c)->request, REQUEST_IN, bytes, ret);
}

bool coding_write_response(struct coding *c, const void *response, const struct diags *diags, struct buf *out)
{
    c->answer = diags;
    if (!response)
        response = coding_empty_response(c);
    bool ok = write_message(c, &call_of(c)->response, RESPONSE_OUT, response, out);
    c->answer = NULL;
    return ok;
}

bool coding_read_response(struct coding *c, struct str bytes, void *ret)
{
    return read_message(c, &call_of(c)->response, RESPONSE_IN, bytes, ret);
}

void *coding_empty_response(struct coding *c)
{
    /* Reads an empty message, which has no field that could fail. */
    const struct codec_message *m = &call_of(c)->response;
    void *response = arena_alloc(c->arena, m->size, alignof(max_align_t));
    bool ok = read_message(c, m, RESPONSE_IN, STR_EMPTY, response);
    assert(ok);
    (void)ok;
    return response;
}
