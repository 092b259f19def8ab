/*
 * A gRPC server: listens on one address and serves many connections at once, each call on a worker thread.
 *
 * The handler gets the calls of all methods and must answer unknown methods with GRPC_UNIMPLEMENTED. A call is cancelled when its
 * peer disconnects or its grpc-timeout expires: then sends return false and grpc_call_cancelled() is true.
 */
#pragma once

#include "base/log.h"
#include "grpc/address.h"
#include "grpc/status.h"
#include "grpc/tls.h"
#include "loop/loop.h"

struct grpc_server;
struct grpc_call;

struct grpc_server_options {
    struct loop *loop;
    struct log *log;
    struct grpc_address address;  /* TCP port 0: a free port; GRPC_UNIX: mode 0600, removed at the end */
    const struct tls_config *tls; /* NULL: clear text; otherwise clients must present the expected certificate */
    size_t max_message;
    size_t max_calls; /* concurrent calls per connection (SETTINGS_MAX_CONCURRENT_STREAMS); each has a thread while it runs */
    void (*handler)(void *ctx, struct grpc_call *call);
    void *ctx;
};

/* The server is listening when this returns. */
bool grpc_server_start(const struct grpc_server_options *options, struct diags *diags, struct grpc_server **ret);
/* The address with the actual port; valid as long as the server. */
struct grpc_address grpc_server_address(const struct grpc_server *server);
/* Stops listening, sends GOAWAY, waits for running calls until the deadline, then cuts the connections. NULL is accepted. */
void grpc_server_free(struct grpc_server *server, int64_t deadline);

/* For the handler, on its thread. */
struct str grpc_call_method(const struct grpc_call *call);            /* "/package.Service/Method" */
struct arena *grpc_call_arena(struct grpc_call *call);                /* freed when the handler returns */
bool grpc_call_recv(struct grpc_call *call, struct str *ret_message); /* false: no more messages, or cancelled */
bool grpc_call_send(struct grpc_call *call, struct str message);      /* false: cancelled */
bool grpc_call_cancelled(const struct grpc_call *call);
/* Waits until the call is cancelled or the connection ends: for streams that are kept open without messages. */
void grpc_call_hold(struct grpc_call *call);
/* May be called once; a handler that returns without it finishes the call with GRPC_OK. */
void grpc_call_finish(struct grpc_call *call, enum grpc_status status, struct str message);
