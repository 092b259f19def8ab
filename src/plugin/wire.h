/*
 * The protobuf wire, one field at a time: what guard.c walks, and what the schema codec reads and writes where unpacking a whole
 * message at once would cost too much memory.
 */
#pragma once

#include "base/buf.h"

enum wire_type { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t integer; /* all types but WIRE_BYTES */
    struct str bytes; /* WIRE_BYTES: a view of the message */
};

/*
 * Takes the next field off the front of *rest. False at the end (*rest is empty) and when what follows is no field (it is not):
 *
 *     while (wire_next(&rest, &field)) ...;
 *     if (rest.n > 0) broken;
 */
bool wire_next(struct str *rest, struct wire_field *ret);

/* Appends one field. */
void wire_add_bytes(struct buf *out, uint32_t number, struct str bytes);
