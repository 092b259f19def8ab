/*
 * Reads arbitrary bytes as a message of some call, as client or as server, or as a schema; the first byte chooses. What was read
 * is written, and must be the same bytes after reading and writing it again.
 */
#include "protocol/proto_guard.h"

#include "protocol/testing_codec.h"

#include <stdlib.h>

enum { MAX_BYTES = 16 << 20, SCHEMA_CHOICE = RPC_COUNT };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_schema(struct arena *a, const struct codec *codec, struct str bytes)
{
    struct diags d;
    diags_init(&d, a);
    const struct provider_schema *s = codec->decode_schema(a, bytes, STR_EMPTY, STR("fuzz"), &d);
    struct buf again BUF_AUTO = BUF_INIT(MAX_BYTES);
    if (s)
        (void)codec->encode_schema(&again, s, &d);
    (void)codec->decode_schema(a, STR_EMPTY, bytes, STR("fuzz"), &d);
}

/* Writes, reads and writes the message: both writes must give the same bytes. */
static void must_be_stable(struct coding *c, bool is_request, const void *plain)
{
    const struct codec_message *m = is_request ? &c->codec->calls[c->rpc]->request : &c->codec->calls[c->rpc]->response;
    struct buf first BUF_AUTO = BUF_INIT(MAX_BYTES), second BUF_AUTO = BUF_INIT(MAX_BYTES);
    void *again = arena_alloc(c->arena, m->size, alignof(max_align_t));
    bool ok;
    if (is_request)
        ok = coding_write_request(c, plain, &first) && coding_read_request(c, buf_str(&first), again) &&
             coding_write_request(c, again, &second);
    else
        ok = coding_write_response(c, plain, NULL, &first) && coding_read_response(c, buf_str(&first), again) &&
             coding_write_response(c, again, NULL, &second);
    if (ok && !str_eq(buf_str(&first), buf_str(&second)))
        abort();
}

static void read_call(struct arena *a, const struct codec *codec, enum rpc rpc, bool is_request, struct str bytes)
{
    struct diags d;
    diags_init(&d, a);
    struct coding c = {.codec = codec,
                       .rpc = rpc,
                       .schema = testing_schema(a, codec->protocol),
                       .arena = a,
                       .diags = &d,
                       .provider = STR("fuzz")};
    c.type_name = rpc == RPC_READ_DATA ? STR("test_data") : rpc == RPC_CALL_FUNCTION ? STR("join_all") : STR("test_thing");
    const struct codec_message *m = is_request ? &codec->calls[rpc]->request : &codec->calls[rpc]->response;
    if (!m->descriptor)
        return;
    void *plain = arena_alloc(a, m->size, alignof(max_align_t));
    if (is_request ? coding_read_request(&c, bytes, plain) : coding_read_response(&c, bytes, plain))
        must_be_stable(&c, is_request, plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const struct codec *codec = codec_for(data[0] & 1 ? 6 : 5);
    size_t choice = data[1] % (RPC_COUNT + 1);
    struct str bytes = {(const char *)data + 2, size - 2};
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    if (choice == SCHEMA_CHOICE)
        read_schema(a, codec, bytes);
    else if (codec->calls[choice])
        read_call(a, codec, (enum rpc)choice, data[0] & 2, bytes);
    return 0;
}
