/*
 * The table of calls. Compiled for protocol 5 and for 6.
 */
#include "protocol/codec_private.h"

const struct codec VERSIONED(codec) = {
    .protocol = PROTOCOL,
    .decode_schema = codec_decode_schema,
    .encode_schema = codec_encode_schema,
    .encode_identities = codec_encode_identities,
    .encode_functions = codec_encode_functions,
    .calls =
        {
#define CALL(id, name) [RPC_##id] = &VERSIONED(call_##name),
            CODEC_CALLS(CALL)
#undef CALL
        },
};
