/*
 * Checks a message before protobuf-c unpacks it, because protobuf-c has no limits of its own: it recurses as deep as the message
 * is nested (5,000 levels in 30 KB overflow the stack), needs some 250 bytes for a field of two bytes, and merges repeated
 * occurrences of a singular message by copying, which is quadratic.
 *
 * The guard compares the bytes with the message's descriptor: depth, number of fields, wire types, one occurrence of each
 * singular message. Unknown fields are allowed and counted. Unpacking a message that passes takes at most PROTO_GUARD_MAX_FIELDS
 * * ~256 bytes + twice the message.
 */
#pragma once

#include "base/arena.h"

#include <protobuf-c/protobuf-c.h>

enum {
    PROTO_GUARD_MAX_DEPTH = 100,
    PROTO_GUARD_MAX_FIELDS = 1 << 20, /* of a message and all messages in it; the largest resource schema of aws has 94,000 */
};

/*
 * Empty if the bytes may be unpacked; otherwise what is wrong, for error messages ("nested more than 100 deep, at Schema.Block").
 */
struct str proto_guard_check(struct arena *a, const ProtobufCMessageDescriptor *message, struct str bytes);

/*
 * Checks and unpacks; the message and everything it points to live in the arena, and nothing needs to be freed. On failure NULL,
 * and the reason in *reterr_problem. All messages are unpacked here and nowhere else.
 */
void *proto_guard_unpack(struct arena *a, const ProtobufCMessageDescriptor *message, struct str bytes,
                         struct str *reterr_problem);
