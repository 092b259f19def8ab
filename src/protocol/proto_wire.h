/*
 * The protobuf wire format, one field at a time: for proto_guard.c, and for the schema codec where unpacking a whole message at
 * once would take too much memory.
 */
#pragma once

#include "base/buf.h"

enum proto_type { PROTO_VARINT = 0, PROTO_64 = 1, PROTO_BYTES = 2, PROTO_32 = 5 };

struct proto_field {
    uint32_t number;
    enum proto_type type;
    uint64_t integer; /* all types but PROTO_BYTES */
    struct str bytes; /* PROTO_BYTES: a view of the message */
};

/*
 * Takes the next field off the front of *rest. False at the end (*rest is empty), and when the next bytes are not a valid field
 * (*rest is not empty):
 *
 *     while (proto_next(&rest, &field)) ...;
 *     if (rest.n > 0) broken;
 */
bool proto_next(struct str *rest, struct proto_field *ret);

/* Appends one field. */
void proto_add_bytes(struct buf *out, uint32_t number, struct str bytes);
