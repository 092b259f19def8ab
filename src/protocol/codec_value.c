/*
 * The parts of filters that are the same in protocol 5 and 6: plain fields, values, and the messages that say what does not fit
 * and whose fault it is.
 */
#include "protocol/codec_private.h"
#include "value/json_value.h"
#include "value/msgpack.h"

void *message_new(struct arena *scratch, const ProtobufCMessageDescriptor *descriptor)
{
    ProtobufCMessage *message = arena_alloc(scratch, descriptor->sizeof_message, alignof(max_align_t));
    message->descriptor = descriptor;
    return message;
}

bool message_pack(struct buf *out, const void *message)
{
    size_t n = protobuf_c_message_get_packed_size(message);
    char *room = buf_room(out, n);
    if (!room)
        return false;
    buf_grew(out, protobuf_c_message_pack(message, (uint8_t *)room));
    return true;
}

struct str text_clean(struct arena *a, struct str s)
{
    if (str_is_utf8(s))
        return s;
    struct buf clean BUF_AUTO = BUF_INIT(3 * s.n);
    while (s.n > 0) {
        size_t n = str_utf8_first(s);
        if (n > 0)
            buf_add(&clean, str_slice(s, 0, n));
        else
            buf_addz(&clean, "\xef\xbf\xbd");
        s = str_slice(s, n > 0 ? n : 1, s.n);
    }
    return buf_copy(&clean, a);
}

/* "ReadResource for aws_vpc" */
static struct str call_text(const struct coding *c)
{
    struct str name = c->codec->calls[c->rpc]->name;
    if (c->type_name.n == 0)
        return name;
    return arena_printf(c->scratch, STR_FMT " for " STR_FMT, STR_ARG(name), STR_ARG(c->type_name));
}

void coding_fail(struct coding *c, const char *field, struct str why)
{
    struct str call = call_text(c);
    c->failed = true;
    switch (c->direction) {
    case REQUEST_OUT:
        diags_fail(c->diags, "Value does not fit the schema",
                   "the %s given to " STR_FMT " does not fit the schema of provider \"" STR_FMT "\": " STR_FMT ".", field,
                   STR_ARG(call), STR_ARG(c->provider), STR_ARG(why));
        break;
    case RESPONSE_IN:
        diags_fail(c->diags, "Invalid answer from provider",
                   "provider \"" STR_FMT "\" answered " STR_FMT " with a %s that does not fit its own schema: " STR_FMT
                   ". This is a bug in the provider.",
                   STR_ARG(c->provider), STR_ARG(call), field, STR_ARG(why));
        break;
    case REQUEST_IN:
        diags_fail(c->diags, "Invalid request to provider",
                   "the call " STR_FMT " came with a %s that does not fit the provider's schema: " STR_FMT
                   ". This is a bug in the program that uses the provider.",
                   STR_ARG(call), field, STR_ARG(why));
        break;
    case RESPONSE_OUT:
        diags_fail(c->diags, "Provider produced an invalid value",
                   "the %s in the answer to " STR_FMT " does not fit the provider's own schema: " STR_FMT
                   ". This is a bug in the provider.",
                   field, STR_ARG(call), STR_ARG(why));
        break;
    }
}

void coding_fail_message(struct coding *c, struct str why)
{
    c->failed = true;
    struct str name = c->codec->calls[c->rpc]->name;
    switch (c->direction) {
    case RESPONSE_IN:
        diags_fail(c->diags, "Invalid answer from provider",
                   "provider \"" STR_FMT "\" answered " STR_FMT " with a message that cannot be read: " STR_FMT
                   ". This is a bug in the provider.",
                   STR_ARG(c->provider), STR_ARG(name), STR_ARG(why));
        break;
    case REQUEST_IN:
        diags_fail(c->diags, "Invalid request to provider",
                   "the call " STR_FMT " came with a message that cannot be read: " STR_FMT
                   ". This is a bug in the program that uses the provider.",
                   STR_ARG(name), STR_ARG(why));
        break;
    case REQUEST_OUT:
    case RESPONSE_OUT:
        diags_fail(c->diags, "Message cannot be sent", "the message for " STR_FMT " cannot be sent: " STR_FMT ".", STR_ARG(name),
                   STR_ARG(why));
        break;
    }
}

void filter_bytes(struct coding *c, ProtobufCBinaryData *wire, struct str *plain)
{
    if (coding_is_writing(c))
        *wire = to_wire(*plain);
    else
        *plain = wire->len > 0 ? arena_str(c->arena, from_wire(*wire)) : STR_EMPTY;
}

void filter_bool(struct coding *c, protobuf_c_boolean *wire, bool *plain)
{
    if (coding_is_writing(c))
        *wire = *plain;
    else
        *plain = *wire != 0;
}

void filter_int(struct coding *c, int64_t *wire, int64_t *plain)
{
    if (coding_is_writing(c))
        *wire = *plain;
    else
        *plain = *wire;
}

unsigned filter_optional_bytes(struct coding *c, unsigned wire_case, unsigned present, ProtobufCBinaryData *wire, bool *has,
                               struct str *plain)
{
    if (coding_is_writing(c)) {
        if (*has)
            *wire = to_wire(*plain);
        return *has ? present : 0;
    }
    *has = wire_case == present;
    *plain = *has ? arena_str(c->arena, from_wire(*wire)) : STR_EMPTY;
    return wire_case;
}

void filter_type_name(struct coding *c, ProtobufCBinaryData *wire, struct str *plain, const struct map *map, const char *what)
{
    filter_bytes(c, wire, plain);
    c->type_name = *plain;
    if (map_get(map, *plain))
        return;
    if (c->direction == REQUEST_OUT)
        c->failed = !diags_fail(c->diags, "Not in the provider", "provider \"" STR_FMT "\" has no %s \"" STR_FMT "\".",
                                STR_ARG(c->provider), what, STR_ARG(*plain));
    else if (c->direction == REQUEST_IN)
        c->failed =
            !diags_fail(c->diags, "Not in the provider", "this provider has no %s \"" STR_FMT "\".", what, STR_ARG(*plain));
    else
        coding_fail(c, "type name", arena_printf(c->scratch, "there is no %s \"" STR_FMT "\"", what, STR_ARG(*plain)));
}

const struct type *coding_type_in(const struct coding *c, const struct map *map)
{
    const struct schema *schema = map_get(map, c->type_name);
    return schema ? schema->type : NULL;
}

const struct type *coding_identity_type(const struct coding *c, struct str type_name)
{
    const struct schema_identity *identity = map_get(&c->schema->identities, type_name);
    return identity ? identity->type : NULL;
}

const struct type *coding_meta_type(const struct coding *c)
{
    return c->schema->provider_meta ? c->schema->provider_meta->type : NULL;
}

/* The first error of the value codecs, in one line: "tags: a string is required". */
static struct str first_error(struct arena *scratch, const struct diags *d)
{
    for (size_t i = 0; i < d->n; i++) {
        if (d->v[i].severity != DIAG_ERROR)
            continue;
        struct str detail = d->v[i].detail.n > 0 ? d->v[i].detail : d->v[i].summary;
        while (detail.n > 0 && detail.p[detail.n - 1] == '.')
            detail.n--; /* it goes into the middle of a sentence */
        struct str path = path_text(scratch, d->v[i].path);
        if (str_starts(detail, path))
            return arena_str(scratch, detail); /* it names the place itself */
        return arena_printf(scratch, STR_FMT ": " STR_FMT, STR_ARG(path), STR_ARG(detail));
    }
    return STR("unknown reason");
}

struct str value_to_msgpack(struct coding *c, const char *field, const struct value *v, const struct type *t)
{
    struct diags why;
    diags_init(&why, c->scratch);
    struct buf bytes BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
    bool ok = msgpack_encode(&bytes, v, t, &why);
    if (ok && buf_ok(&bytes))
        return buf_copy(&bytes, c->scratch);
    coding_fail(c, field, ok ? STR("it is larger than a message may be") : first_error(c->scratch, &why));
    return STR_EMPTY;
}

const struct value *value_from_wire(struct coding *c, const char *field, struct str msgpack, struct str json,
                                    const struct type *t)
{
    struct diags why;
    diags_init(&why, c->scratch);
    const struct value *v = NULL;
    if (msgpack.n > 0) {
        v = msgpack_decode(c->arena, msgpack, t, &why);
    } else if (json.n > 0) {
        const struct json *tree = json_parse(c->scratch, json, "JSON", &why);
        v = tree ? value_from_json(c->arena, tree, t, PATH_ROOT, &why) : NULL;
    } else {
        return NULL;
    }
    if (!v)
        coding_fail(c, field, first_error(c->scratch, &why));
    return v;
}
