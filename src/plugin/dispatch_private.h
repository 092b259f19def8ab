/* Shared by dispatch.c, dispatch_defaults.c (defaults, see provider_server.h) and dispatch_store.c (state stores). */
#pragma once

#include "plugin/dispatch.h"
#include "protocol/codec.h"

struct dispatch {
    struct arena *arena;
    const struct provider_ops *ops;
    void *ctx;
    const struct codec *codec;
    const struct provider_schema *schema;
    struct str fixed[RPC_COUNT]; /* responses that never change; p NULL: this call's response does */
    struct map chunk_sizes;      /* for each state store the negotiated chunk size in bytes (atomic) */
};

/* Handles a call whose messages are streamed, from its first message to its end. */
typedef void dispatch_stream(const struct dispatch *d, struct coding *c, struct grpc_call *call, struct str message);

/* Sends one message of several; false: the client is gone. */
bool dispatch_send(struct coding *c, struct grpc_call *call, const void *event, const struct diags *diags);
/* Sends the response (NULL: only diagnostics) and ends the call. */
void dispatch_answer(struct coding *c, struct grpc_call *call, const void *response, const struct diags *diags);

/*
 * Answers with the stored state in the shape of the schema: attributes that the schema does not have are dropped, missing ones
 * are null.
 */
void dispatch_default_upgrade(const struct provider_schema *schema, struct arena *a, const struct upgrade_state_request *request,
                              struct diags *diags, struct upgrade_state_response *response);

/* State stores. */
void dispatch_prepare_stores(struct dispatch *d);
void dispatch_configure_state_store(const struct dispatch *d, struct arena *a, const void *request, struct diags *diags,
                                    void *response);
dispatch_stream dispatch_read_state, dispatch_write_state;
