/*
 * Between the plain structs of rpc.h and the bytes of protocol 5 or 6.
 *
 * A codec is a table of calls. For each call and each of its two messages there is one filter, a function that moves every field
 * either way (as XDR's filters do), so reading and writing cannot disagree, and client and server share it. The filters are one
 * source compiled twice, for protocol 5 and 6; their differences are the `#if PROTOCOL` blocks in codec_*.c.
 *
 * A `struct coding` is one call on one side: made for the request, used again for the response (it remembers the type the
 * call is about), by one thread.
 */
#pragma once

#include "base/buf.h"
#include "base/diag.h"
#include "protocol/rpc.h"

enum rpc {
    RPC_METADATA,
    RPC_SCHEMA,
    RPC_IDENTITY_SCHEMAS,
    RPC_FUNCTIONS,
    RPC_VALIDATE_PROVIDER,
    RPC_VALIDATE_RESOURCE,
    RPC_VALIDATE_DATA,
    RPC_VALIDATE_EPHEMERAL,
    RPC_VALIDATE_LIST,
    RPC_VALIDATE_ACTION,
    RPC_CONFIGURE,
    RPC_UPGRADE_STATE,
    RPC_UPGRADE_IDENTITY,
    RPC_READ,
    RPC_PLAN,
    RPC_APPLY,
    RPC_IMPORT,
    RPC_MOVE,
    RPC_GENERATE_CONFIG,
    RPC_READ_DATA,
    RPC_OPEN_EPHEMERAL,
    RPC_RENEW_EPHEMERAL,
    RPC_CLOSE_EPHEMERAL,
    RPC_CALL_FUNCTION,
    RPC_LIST, /* answers with a stream of list_event */
    RPC_PLAN_ACTION,
    RPC_INVOKE_ACTION, /* answers with a stream of action_event */
    RPC_STOP,
    /* Protocol 6 only. */
    RPC_VALIDATE_STATE_STORE,
    RPC_CONFIGURE_STATE_STORE,
    RPC_READ_STATE,  /* answers with a stream of state_chunk */
    RPC_WRITE_STATE, /* asks with a stream of state_chunk */
    RPC_LOCK_STATE,
    RPC_UNLOCK_STATE,
    RPC_GET_STATES,
    RPC_DELETE_STATE,
    RPC_COUNT,
};

/* Messages that rpc.h has no struct for. */
struct stop_response {
    struct str error; /* empty: none */
};
struct state_chunk {
    struct str type_name, state_id; /* RPC_WRITE_STATE, first chunk only */
    struct str bytes;
    int64_t total_length;
    int64_t start, end; /* of these bytes in the whole; end is inclusive */
};

/* Which of the four messages of a call is being moved: it decides who is to blame for what does not fit. */
enum coding_direction { REQUEST_OUT, REQUEST_IN, RESPONSE_OUT, RESPONSE_IN };

/* Bytes we write at most: as many as we read (PLUGIN_MAX_MESSAGE). */
#define CODEC_MAX_MESSAGE ((size_t)256 << 20)

struct coding {
    const struct codec *codec;
    enum rpc rpc;
    const struct provider_schema *schema; /* types the values; NULL only for calls without values */
    struct arena *arena;                  /* for what is decoded */
    struct diags *diags;                  /* for what is wrong with a message, and for the diagnostics in a response read */
    struct str provider;                  /* its name in messages of the client's side */

    /* Private to the codec. */
    struct str type_name; /* of the resource, data source, function, ... that the call is about */
    enum coding_direction direction;
    bool failed;
    struct arena *scratch;      /* protobuf-c's structs, until the message is done */
    const struct diags *answer; /* RESPONSE_OUT: the diagnostics to send */
};

/* One message either way: `message` is protobuf-c's struct, `plain` one of rpc.h (not written to when direction is OUT). */
typedef void codec_filter(struct coding *c, void *message, void *plain);

struct codec_message {
    const void *descriptor; /* ProtobufCMessageDescriptor */
    codec_filter *filter;   /* NULL: the message has no fields for us */
    size_t size;            /* of the plain struct */
};

struct codec_call {
    struct str name;   /* "ReadResource", as the protocol calls it */
    struct str method; /* "/tfplugin6.Provider/ReadResource" */
    struct codec_message request, response;
};

struct codec {
    int protocol;
    const struct codec_call *calls[RPC_COUNT]; /* NULL: this protocol has no such call */
    /*
     * The schema, one resource type after the other: memory stays near what the result needs. Equal blocks, types and names are
     * shared in it. `identities` empty: none. NULL and diagnostics (also the provider's own) otherwise.
     */
    const struct provider_schema *(*decode_schema)(struct arena *a, struct str schema, struct str identities, struct str provider,
                                                   struct diags *diags);
    /* Responses of GetProviderSchema, GetResourceIdentitySchemas and GetFunctions. False: this protocol cannot express it. */
    bool (*encode_schema)(struct buf *out, const struct provider_schema *schema, struct diags *diags);
    bool (*encode_identities)(struct buf *out, const struct provider_schema *schema, struct diags *diags);
    bool (*encode_functions)(struct buf *out, const struct provider_schema *schema, struct diags *diags);
};

extern const struct codec codec5, codec6;
const struct codec *codec_for(int protocol); /* 5 or 6 */

/* Which call a method's path names; RPC_COUNT: none. */
enum rpc codec_find(const struct codec *codec, struct str method);

/*
 * The four directions. What is written is appended to `out`. False: a diagnostic in c->diags says which field does not fit and
 * whose fault it is; *ret may then be filled in part (with what could be read, and diagnostics that came along).
 */
bool coding_write_request(struct coding *c, const void *request, struct buf *out);
bool coding_read_request(struct coding *c, struct str bytes, void *ret);
/*
 * Always writes a response: a value that does not fit is left out and reported in the response itself, behind `diags` (may be
 * NULL). `response` NULL: nothing but diagnostics. False only if the response grows past the buffer's bound.
 */
bool coding_write_response(struct coding *c, const void *response, const struct diags *diags, struct buf *out);
/* A value that does not fit makes it false, but an identity that does not is reported and left out: the state must not be lost.
 */
bool coding_read_response(struct coding *c, struct str bytes, void *ret);

/* A response in which nothing is set (which is not all zero: see DEFERRED_NOT), for a server to fill. */
void *coding_empty_response(struct coding *c);
