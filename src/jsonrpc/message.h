/*
 * JSON-RPC 2.0 messages: one line in, one line out. No I/O, no state.
 *
 * Narrower than the standard where the contract is: parameters come by name only, batches are refused, and of the notifications
 * only
 * `$/cancel` means something (what changes the world should be asked for, and answered).
 */
#pragma once

#include "base/json.h"

enum rpc_code {
    RPC_NOT_JSON = -32700,
    RPC_NOT_A_REQUEST = -32600,
    RPC_NO_METHOD = -32601,
    RPC_WRONG_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_PROVIDER_LOST = -32000,
    RPC_NO_HANDLE = -32001,
    RPC_CANCELLED = -32002,
    RPC_TOO_MANY = -32003,
};

enum {
    RPC_MAX_LINE = 64 << 20, /* bytes of a request */
    RPC_MAX_SHOWN = 64,      /* bytes of what the caller sent that an error message repeats */
};
#define RPC_MAX_ANSWER ((size_t)512 << 20)

struct rpc_error {
    int code; /* 0: none */
    struct str message;
    const struct str *data; /* lines */
    size_t n_data;
};

struct rpc_message {
    const struct json *id; /* number, string or null; NULL: a notification */
    struct str method;
    const struct json *params; /* an object, empty when none were sent */
};

/* False when the line is no message: the error says why, and its answer has the id null. */
bool rpc_message_read(struct arena *a, struct str line, struct rpc_message *ret, struct rpc_error *ret_error);

/* "no such handle: X", cut after RPC_MAX_SHOWN bytes: a plan that was sent as a handle has secrets in it. */
struct str rpc_shown(struct arena *a, struct str text);

/*
 * An answer is begun, then one value written, then ended; or, as a whole, it is an error. `id` NULL: null. Lines end with a line
 * feed.
 */
void rpc_begin_answer(struct json_writer *w, const struct json *id);
void rpc_begin_notification(struct json_writer *w, struct str method);
bool rpc_end(struct json_writer *w);
void rpc_write_error(struct buf *out, const struct json *id, const struct rpc_error *error);
