/*
 * The server: connections on which requests come in and answers go out, and worker threads that run a handler for each request.
 *
 * Reading. One thread a connection splits the input into lines and understands them, so that `$/cancel` is seen at once, however
 * busy the workers are. Requests wait for a worker in order of arrival. When RPC_MAX_PENDING requests or RPC_MAX_PENDING_BYTES of
 * them wait or run, reading pauses; on a socket one connection has an RPC_PENDING_SHARES-th of that.
 *
 * Answering. Answers come in any order. They wait in the connection's queue (outbox_private.h), and a thread of its own writes
 * them: a peer that does not read keeps no worker from serving others. While it has RPC_UNSENT_PAUSE bytes to read, no more is
 * read from it and none of its requests begins. A socket's peer that takes nothing for RPC_WRITE_PATIENCE_S seconds, or for which
 * more than RPC_MAX_UNSENT bytes wait, is cut off; of its requests those that run are finished, the others are not begun.
 *
 * Ending. At the end of a connection's input its requests are finished and answered. The server ends when its only input ends
 * (streams), or by cancellation, which also cancels every request. When all RPC_MAX_CONNECTIONS are taken and somebody else wants
 * in, the connection that has been silent for longest ends, if it has no requests and was silent for RPC_IDLE_PATIENCE_S seconds.
 */
#pragma once

#include "base/log.h"
#include "jsonrpc/message.h"
#include "loop/loop.h"

enum {
    RPC_MAX_PENDING = 1 << 16,
    RPC_MAX_CONNECTIONS = 64, /* more wait to be accepted */
    RPC_PENDING_SHARES = 8,
    RPC_WRITE_PATIENCE_S = 60,
    RPC_IDLE_PATIENCE_S = 60,
};
#define RPC_UNSENT_PAUSE ((size_t)16 << 20)
#define RPC_MAX_UNSENT ((size_t)256 << 20) /* a single answer may be larger */
#define RPC_MAX_PENDING_BYTES ((size_t)1 << 30)
#define RPC_MAX_REQUEST_MEMORY ((size_t)2 << 30) /* the limit of a request's arena */

/* What a handler works on. One thread at a time, and the arena with it; both end with the answer. */
struct rpc_request {
    struct arena *arena;
    struct rpc_message message;
    struct cancel *cancel; /* the caller wants it to end */
    struct rpc_error error;
    void *connection; /* private */
};

/* Writes the result, one value, to `w`; or returns false after rpc_fail(), and what stands in `w` is forgotten. */
typedef bool rpc_handle_fn(void *ctx, struct rpc_request *request, struct json_writer *w);

/* The request ends with this error. Returns false. */
bool rpc_fail(struct rpc_request *r, enum rpc_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* A message to the caller while the request runs; `write_params` writes one value. False when it cannot be delivered. */
bool rpc_notify(struct rpc_request *r, struct str method, bool (*write_params)(void *ctx, struct json_writer *w), void *ctx);

struct rpc_server_options {
    struct log *log;       /* may be NULL */
    struct cancel *cancel; /* ends the server; may be NULL */
    size_t workers;
    int64_t patience_ns, idle_ns; /* 0: as the constants above say */
    rpc_handle_fn *handle;
    void *ctx;
};

/* Until the end of `in`. Answers go to `out`. False with a diagnostic when one of them fails. */
bool rpc_serve_streams(const struct rpc_server_options *options, int in, int out, struct diags *diags);

/* On a unix socket (socket.h), until cancelled. */
bool rpc_serve_socket(const struct rpc_server_options *options, const char *path, struct diags *diags);
