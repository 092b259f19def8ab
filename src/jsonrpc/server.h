/*
 * The server: connections with requests and answers, and worker threads that run a handler for each request.
 *
 * Reading. One thread per connection splits the input into lines and parses them, so that `$/cancel` takes effect at once,
 * however busy the workers are. Requests wait for a worker in order of arrival. While RPC_MAX_PENDING requests or
 * RPC_MAX_PENDING_BYTES of them are waiting or running, reading pauses; on a socket, the limits of one connection are an
 * RPC_PENDING_SHARES-th of these.
 *
 * Answering. Answers are sent in any order. They wait in the connection's queue (outbox_private.h), which the connection's writer
 * thread sends, so a peer that does not read does not block the workers. While RPC_UNSENT_PAUSE bytes are queued for a peer, no
 * input is read from it and none of its requests begins. A socket is closed if its peer reads nothing for RPC_WRITE_PATIENCE_S
 * seconds or more than RPC_MAX_UNSENT bytes are queued; its running requests finish, the others do not begin.
 *
 * Ending. At the end of a connection's input its requests are finished and answered. The server ends at the end of its only input
 * (streams), or by cancellation, which also cancels every request. When RPC_MAX_CONNECTIONS are open and another client connects,
 * the connection that has been idle longest is closed, if it has no requests and was idle for RPC_IDLE_PATIENCE_S seconds.
 */
#pragma once

#include "base/log.h"
#include "jsonrpc/message.h"
#include "loop/loop.h"

enum {
    RPC_MAX_PENDING = 1 << 16,
    RPC_MAX_CONNECTIONS = 64, /* further ones wait to be accepted */
    RPC_PENDING_SHARES = 8,
    RPC_WRITE_PATIENCE_S = 60,
    RPC_IDLE_PATIENCE_S = 60,
};
#define RPC_UNSENT_PAUSE ((size_t)16 << 20)
#define RPC_MAX_UNSENT ((size_t)256 << 20) /* a single answer may be larger */
#define RPC_MAX_PENDING_BYTES ((size_t)1 << 30)
#define RPC_MAX_REQUEST_MEMORY ((size_t)2 << 30) /* the limit of a request's arena */

/* A request, as its handler gets it. It and its arena are used by one thread at a time, and end with the answer. */
struct rpc_request {
    struct arena *arena;
    struct rpc_message message;
    struct cancel *cancel; /* fired when the caller cancels the request */
    struct rpc_error error;
    void *connection; /* private */
};

/* Writes the result, one value, to `w`; or returns false after rpc_fail(), and what was written to `w` is discarded. */
typedef bool rpc_handle_fn(void *ctx, struct rpc_request *request, struct json_writer *w);

/* Ends the request with this error. Returns false. */
bool rpc_fail(struct rpc_request *r, enum rpc_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/*
 * Sends a notification to the caller while the request runs; `write_params` writes one value. False when it cannot be delivered.
 */
bool rpc_notify(struct rpc_request *r, struct str method, bool (*write_params)(void *ctx, struct json_writer *w), void *ctx);

struct rpc_server_options {
    struct log *log;       /* may be NULL */
    struct cancel *cancel; /* ends the server; may be NULL */
    size_t workers;
    int64_t patience_ns, idle_ns; /* 0: RPC_WRITE_PATIENCE_S, RPC_IDLE_PATIENCE_S */
    rpc_handle_fn *handle;
    void *ctx;
};

/* Serves until the end of `in`. Answers go to `out`. False with a diagnostic when one of them fails. */
bool rpc_serve_streams(const struct rpc_server_options *options, int in, int out, struct diags *diags);

/* Serves on a unix socket (socket.h) until cancelled. */
bool rpc_serve_socket(const struct rpc_server_options *options, const char *path, struct diags *diags);
