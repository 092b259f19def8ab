/*
 * Converts between the plain structs of rpc.h and the bytes of protocol 5 or 6.
 *
 * A codec is a table of calls. Each of a call's two messages has one filter, a function that copies every field in either
 * direction (as XDR's filters do), so reading and writing cannot disagree, and client and server share it. The filters are
 * compiled twice from one source, for protocol 5 and 6; the differences are the `#if PROTOCOL` blocks in codec_*.c.
 *
 * A `struct coding` is one call on one side. It is made for the request, used again for the response (it remembers the type that
 * the call is about), and belongs to one thread.
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

/* Messages without a struct in rpc.h. */
struct stop_response {
    struct str error; /* empty: none */
};
struct state_chunk {
    struct str type_name, state_id; /* RPC_WRITE_STATE, first chunk only */
    struct str bytes;
    int64_t total_length;
    int64_t start, end; /* the range of these bytes in the whole state; `end` is inclusive */
};

/*
 * Which message is being converted, seen from this side: it decides whether client or provider is blamed for a field that does
 * not fit.
 */
enum coding_direction { REQUEST_OUT, REQUEST_IN, RESPONSE_OUT, RESPONSE_IN };

/* The largest message we write, in bytes; the same limit as for reading (PLUGIN_MAX_MESSAGE). */
#define CODEC_MAX_MESSAGE ((size_t)256 << 20)

struct coding {
    const struct codec *codec;
    enum rpc rpc;
    const struct provider_schema *schema; /* types the values; NULL only for calls without values */
    struct arena *arena;                  /* for what is decoded */
    struct diags *diags;                  /* for errors in a message, and for the diagnostics of a response that is read */
    struct str provider;                  /* its name in the client's error messages */

    /* Private to the codec. */
    struct str type_name; /* of the resource, data source, function, ... that the call is about */
    enum coding_direction direction;
    bool failed;
    struct arena *scratch;      /* protobuf-c's structs, until the message is done */
    const struct diags *answer; /* RESPONSE_OUT: the diagnostics to send */
};

/*
 * Converts one message in either direction: `message` is protobuf-c's struct, `plain` one of rpc.h (not written to when the
 * direction is OUT).
 */
typedef void codec_filter(struct coding *c, void *message, void *plain);

struct codec_message {
    const void *descriptor; /* ProtobufCMessageDescriptor */
    codec_filter *filter;   /* NULL: the message has no fields that we use */
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
     * Decodes the schema, one resource type after the other, so that little more memory is needed than for the result. Equal
     * blocks, types and names are shared in it. `identities` empty: none. NULL with diagnostics (which include the provider's
     * own) on failure.
     */
    const struct provider_schema *(*decode_schema)(struct arena *a, struct str schema, struct str identities, struct str provider,
                                                   struct diags *diags);
    /*
     * Write the responses of GetProviderSchema, GetResourceIdentitySchemas and GetFunctions. False: this protocol cannot express
     * the schema.
     */
    bool (*encode_schema)(struct buf *out, const struct provider_schema *schema, struct diags *diags);
    bool (*encode_identities)(struct buf *out, const struct provider_schema *schema, struct diags *diags);
    bool (*encode_functions)(struct buf *out, const struct provider_schema *schema, struct diags *diags);
};

extern const struct codec codec5, codec6;
const struct codec *codec_for(int protocol); /* 5 or 6 */

/* The call that a method's path names; RPC_COUNT: none. */
enum rpc codec_find(const struct codec *codec, struct str method);

/*
 * The four directions. Writing appends to `out`. False: a diagnostic in c->diags says which field does not fit and whose fault it
 * is; *ret may then be partly filled (with what could be read; the message's own diagnostics have been added).
 */
bool coding_write_request(struct coding *c, const void *request, struct buf *out);
bool coding_read_request(struct coding *c, struct str bytes, void *ret);
/*
 * Always writes a response: a value that does not fit is left out and reported in the response itself, after `diags` (may be
 * NULL). `response` NULL: only diagnostics. False only if the response exceeds the buffer's limit.
 */
bool coding_write_response(struct coding *c, const void *response, const struct diags *diags, struct buf *out);
/* False if a value does not fit. An identity that does not fit is only reported and left out, so that the state is not lost. */
bool coding_read_response(struct coding *c, struct str bytes, void *ret);

/* A response in which nothing is set, for a server to fill. It is not all zero: see DEFERRED_NOT. */
void *coding_empty_response(struct coding *c);
