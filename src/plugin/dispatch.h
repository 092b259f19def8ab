/*
 * The server side of Terraform's calls, without the socket: decodes a gRPC call, calls provider_ops and sends the answer. serve.c
 * does the listening, the handshake and the plugin services.
 */
#pragma once

#include "plugin/provider_server.h"

struct dispatch;

/* NULL with diagnostics when the ops have no schema. `protocol` is 5 or 6. */
struct dispatch *dispatch_new(const struct provider_ops *ops, void *ctx, int protocol, struct diags *diags);
void dispatch_free(struct dispatch *d);
/* True when the method belongs to the provider service; unimplemented ones are answered as such. */
bool dispatch_call(struct dispatch *d, struct grpc_call *call);
