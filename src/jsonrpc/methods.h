/*
 * The methods of the engine's contract (docs/engine-rpc.md), for a server (server.h) to run. They may run concurrently, on any
 * threads except the loop's.
 */
#pragma once

#include "engine/pool.h"
#include "jsonrpc/server.h"

/* A provider that was found. */
struct rpc_provider {
    struct pool_source source;
    struct str version; /* empty: not known */
};
/* `what` is a source address or the path of a binary, `constraint` may be empty. The result lives in the arena. */
typedef bool rpc_find_fn(void *ctx, struct arena *a, struct str what, struct str constraint, struct diags *diags,
                         struct rpc_provider *ret);

struct rpc_engine_options {
    struct pool_options pool; /* its log is also the engine's */
    rpc_find_fn *find;
    void *find_ctx;
    int64_t timeout_ns;       /* for one call to a provider other than apply; 0: none */
    int64_t apply_timeout_ns; /* for one apply; 0: none */
    int64_t grace_ns;         /* after which StopProvider is sent for a cancelled apply */
};

struct rpc_engine;
struct rpc_engine *rpc_engine_new(const struct rpc_engine_options *options);
/* Closes all handles and ends the providers. No method may be running. */
void rpc_engine_free(struct rpc_engine *engine);

/* An rpc_handle_fn; `engine` is the context. */
bool rpc_engine_handle(void *engine, struct rpc_request *request, struct json_writer *w);
