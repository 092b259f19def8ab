#include "protocol/proto_guard.h"

#include "protocol/proto_wire.h"

#include <assert.h>

struct walk {
    struct arena *arena;
    size_t fields_left;
    struct str problem;
};

/* "Schema.Block" of "tfplugin6.Schema.Block". */
static const char *message_name(const ProtobufCMessageDescriptor *message)
{
    const char *dot = strchr(message->name, '.');
    return dot ? dot + 1 : message->name;
}

static bool refuse(struct walk *w, const ProtobufCMessageDescriptor *message, const char *what)
{
    w->problem = arena_printf(w->arena, "%s, at %s", what, message_name(message));
    return false;
}

static enum proto_type proto_type_of(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return PROTO_BYTES;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return PROTO_32;
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return PROTO_64;
    default:
        return PROTO_VARINT;
    }
}

static bool walk_message(struct walk *w, const ProtobufCMessageDescriptor *message, struct str rest, int depth);

static bool walk_field(struct walk *w, const ProtobufCMessageDescriptor *message, const struct proto_field *field, int depth,
                       uint64_t *seen)
{
    const ProtobufCFieldDescriptor *known = protobuf_c_message_descriptor_get_field(message, field->number);
    if (!known)
        return true; /* of a newer protocol: skipped */
    if (field->type != proto_type_of(known->type)) {
        w->problem = arena_printf(w->arena, "field %s has the wrong wire type, at %s", known->name, message_name(message));
        return false;
    }
    if (known->type != PROTOBUF_C_TYPE_MESSAGE)
        return true;
    size_t index = (size_t)(known - message->fields);
    assert(index < 64);
    if (known->label != PROTOBUF_C_LABEL_REPEATED && *seen >> index & 1) {
        w->problem = arena_printf(w->arena, "field %s occurs more than once, at %s", known->name, message_name(message));
        return false;
    }
    *seen |= UINT64_C(1) << index;
    return walk_message(w, known->descriptor, field->bytes, depth + 1);
}

static bool walk_message(struct walk *w, const ProtobufCMessageDescriptor *message, struct str rest, int depth)
{
    if (depth > PROTO_GUARD_MAX_DEPTH) {
        w->problem = arena_printf(w->arena, "nested more than %d deep, at %s", PROTO_GUARD_MAX_DEPTH, message_name(message));
        return false;
    }
    uint64_t seen = 0; /* singular messages, by index of their field */
    for (struct proto_field field; proto_next(&rest, &field);) {
        if (w->fields_left-- == 0)
            return refuse(w, message, "more fields than any real message has");
        if (!walk_field(w, message, &field, depth, &seen))
            return false;
    }
    return rest.n == 0 || refuse(w, message, "cut off or not protobuf");
}

struct str proto_guard_check(struct arena *a, const ProtobufCMessageDescriptor *message, struct str bytes)
{
    struct walk w = {.arena = a, .fields_left = PROTO_GUARD_MAX_FIELDS, .problem = STR_EMPTY};
    (void)walk_message(&w, message, bytes, 1);
    return w.problem;
}

static void *allocate(void *arena, size_t size)
{
    return arena_alloc(arena, size, alignof(max_align_t));
}

static void leave_to_arena(void *arena, void *p)
{
    (void)arena;
    (void)p;
}

void *proto_guard_unpack(struct arena *a, const ProtobufCMessageDescriptor *message, struct str bytes, struct str *reterr_problem)
{
    struct str problem = proto_guard_check(a, message, bytes);
    if (problem.n > 0) {
        *reterr_problem = problem;
        return NULL;
    }
    ProtobufCAllocator allocator = {.alloc = allocate, .free = leave_to_arena, .allocator_data = a};
    void *unpacked = protobuf_c_message_unpack(message, &allocator, bytes.n, (const uint8_t *)bytes.p);
    if (!unpacked)
        *reterr_problem = arena_printf(a, "not a well-formed message, at %s", message_name(message));
    return unpacked;
}
