/*
 * The server side of Terraform's calls, below the socket: one gRPC call in, decoded, given to provider_ops, answered.
 * serve.c owns the listening, the handshake and the plugin services around it.
 */
#pragma once

#include "plugin/provider_server.h"

struct dispatch;

/* NULL and diagnostics when the ops have no schema. `protocol` is 5 or 6. */
struct dispatch *dispatch_new(const struct provider_ops *ops, void *ctx, int protocol, struct diags *diags);
void dispatch_free(struct dispatch *d);
/* True when the method was one of the provider service's (also unimplemented ones, which are answered so). */
bool dispatch_call(struct dispatch *d, struct grpc_call *call);
