/* What dispatch.c shares with its other halves: defaults (see provider_server.h) and state stores. */
#pragma once

#include "plugin/dispatch.h"
#include "protocol/codec.h"

struct dispatch {
    struct arena *arena;
    const struct provider_ops *ops;
    void *ctx;
    const struct codec *codec;
    const struct provider_schema *schema;
    struct str fixed[RPC_COUNT]; /* responses that are always the same; p NULL: not one of these */
    struct map chunk_sizes;      /* of each state store, what was agreed on: an atomic number of bytes */
};

/* One call whose messages are streamed, from its first message to its end. */
typedef void dispatch_stream(const struct dispatch *d, struct coding *c, struct grpc_call *call, struct str message);

/* Sends one message of several; false: the client is gone. */
bool dispatch_send(struct coding *c, struct grpc_call *call, const void *event, const struct diags *diags);
/* Sends the one response (NULL: nothing but diagnostics) and ends the call. */
void dispatch_answer(struct coding *c, struct grpc_call *call, const void *response, const struct diags *diags);

/* The stored state as it is, by the schema: attributes that are no longer in it are dropped, missing ones are null. */
void dispatch_default_upgrade(const struct provider_schema *schema, struct arena *a, const struct upgrade_state_request *request,
                              struct diags *diags, struct upgrade_state_response *response);

/* State stores. */
void dispatch_prepare_stores(struct dispatch *d);
void dispatch_configure_state_store(const struct dispatch *d, struct arena *a, const void *request, struct diags *diags,
                                    void *response);
dispatch_stream dispatch_read_state, dispatch_write_state;
