#include "plugin/services.h"

#include "protocol/proto_wire.h"

enum { STDIO_CHANNEL = 1, STDIO_DATA = 2 };

bool stdio_data_decode(struct str message, enum stdio_channel *ret_channel, struct str *ret_data)
{
    enum stdio_channel channel = STDIO_INVALID;
    struct str data = STR_EMPTY;
    struct proto_field f;
    while (proto_next(&message, &f)) {
        if (f.number == STDIO_CHANNEL && f.type == PROTO_VARINT && f.integer <= STDIO_STDERR)
            channel = (enum stdio_channel)f.integer;
        else if (f.number == STDIO_DATA && f.type == PROTO_BYTES)
            data = f.bytes;
    }
    if (message.n > 0)
        return false;
    *ret_channel = channel;
    *ret_data = data;
    return true;
}

bool service_find_bytes(struct str message, uint32_t field, struct str *ret)
{
    struct proto_field f;
    while (proto_next(&message, &f))
        if (f.number == field && f.type == PROTO_BYTES) {
            *ret = f.bytes;
            return true;
        }
    return false;
}
