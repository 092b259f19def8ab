#include "protocol/proto_wire.h"

enum { MAX_VARINT = 10, MAX_FIELD_NUMBER = (1 << 29) - 1 };

static bool take_varint(struct str *rest, uint64_t *ret)
{
    uint64_t value = 0;
    for (size_t i = 0; i < rest->n && i < MAX_VARINT; i++) {
        uint64_t byte = (unsigned char)rest->p[i];
        if (i == MAX_VARINT - 1 && byte > 1)
            return false; /* more than 64 bits */
        value |= (byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *rest = str_slice(*rest, i + 1, rest->n);
            *ret = value;
            return true;
        }
    }
    return false;
}

/* Little-endian, of `n` bytes. */
static bool take_fixed(struct str *rest, size_t n, uint64_t *ret)
{
    if (rest->n < n)
        return false;
    uint64_t value = 0;
    for (size_t i = n; i > 0; i--)
        value = value << 8 | (unsigned char)rest->p[i - 1];
    *rest = str_slice(*rest, n, rest->n);
    *ret = value;
    return true;
}

static bool take_bytes(struct str *rest, struct str *ret)
{
    uint64_t n;
    if (!take_varint(rest, &n) || n > rest->n)
        return false;
    *ret = (struct str){rest->p, (size_t)n};
    *rest = str_slice(*rest, (size_t)n, rest->n);
    return true;
}

bool proto_next(struct str *rest, struct proto_field *ret)
{
    struct str at = *rest;
    uint64_t key;
    if (!take_varint(&at, &key) || key >> 3 == 0 || key >> 3 > MAX_FIELD_NUMBER)
        return false;
    struct proto_field field = {.number = (uint32_t)(key >> 3), .type = (enum proto_type)(key & 7)};
    bool ok = false;
    switch (field.type) {
    case PROTO_VARINT:
        ok = take_varint(&at, &field.integer);
        break;
    case PROTO_64:
        ok = take_fixed(&at, 8, &field.integer);
        break;
    case PROTO_BYTES:
        ok = take_bytes(&at, &field.bytes);
        break;
    case PROTO_32:
        ok = take_fixed(&at, 4, &field.integer);
        break;
    }
    if (!ok)
        return false; /* groups too, which have long been deprecated */
    *rest = at;
    *ret = field;
    return true;
}

static void add_varint(struct buf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        buf_addc(out, (char)(value | 0x80));
    buf_addc(out, (char)value);
}

void proto_add_bytes(struct buf *out, uint32_t number, struct str bytes)
{
    add_varint(out, (uint64_t)number << 3 | PROTO_BYTES);
    add_varint(out, bytes.n);
    buf_add(out, bytes);
}
