/*
 * Values as MessagePack, driven by a type that both ends know (docs/core-rules.md 2.2).
 *
 * Reading is limited by VALUE_MAX_DEPTH, by the input's length (no allocation is larger than the remaining bytes could fill) and
 * by the arena's limit. Errors name the path: "tags: a string is required".
 */
#pragma once

#include "value/value.h"

enum { VALUE_MAX_DEPTH = 256, MSGPACK_MAX_REFINEMENT = 1024 };

/* Encodes `v`, which must conform to `t`. False, with a diagnostic, when it does not or when `out` is full. */
bool msgpack_encode(struct buf *out, const struct value *v, const struct type *t, struct diags *diags);
/* Decodes a value that conforms to `t` and shares no memory with `bytes`; bytes after the value are ignored. */
const struct value *msgpack_decode(struct arena *a, struct str bytes, const struct type *t, struct diags *diags);
