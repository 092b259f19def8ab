/*
 * What stands between the wire and protobuf-c's unpacking, which has no limits of its own: it recurses as deep as the message is
 * nested (5,000 levels in 30 KB overflow the stack), spends some 250 bytes on a field of two, and joins repeated occurrences of a
 * single message by copying, which is quadratic.
 *
 * The guard walks the bytes against the message's descriptor first: depth, number of fields, wire types, one occurrence of each
 * single message. Unknown fields are allowed and count. What passes can be unpacked in memory of at most
 * PROTO_GUARD_MAX_FIELDS * ~256 bytes + twice the message.
 */
#pragma once

#include "base/arena.h"

#include <protobuf-c/protobuf-c.h>

enum {
    PROTO_GUARD_MAX_DEPTH = 100,
    PROTO_GUARD_MAX_FIELDS = 1 << 20, /* of a message with all it contains; the largest resource schema of aws has 94,000 */
};

/* Empty when the bytes may be unpacked; otherwise what is wrong, for people ("nested more than 100 deep, at Schema.Block"). */
struct str proto_guard_check(struct arena *a, const ProtobufCMessageDescriptor *message, struct str bytes);

/*
 * Checks and unpacks; the message and all it refers to live in the arena, and nothing needs to be freed. NULL and the reason in
 * *reterr_problem otherwise. The only way in: nothing else in plugin unpacks.
 */
void *proto_guard_unpack(struct arena *a, const ProtobufCMessageDescriptor *message, struct str bytes,
                         struct str *reterr_problem);
