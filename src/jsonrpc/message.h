/*
 * JSON-RPC 2.0 messages: one line in, one line out. No I/O, no state.
 *
 * Where the engine's contract is narrower than the standard, so is this: parameters are by name only, batches are refused, and
 * the only notification with an effect is `$/cancel` (whatever changes something should be a request, and be answered).
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
    RPC_MAX_SHOWN = 64,      /* bytes of the caller's input that an error message repeats */
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
    const struct json *params; /* an object, empty if none were sent */
};

/* False when the line is not a valid message: the error says why, and is answered with the id null. */
bool rpc_message_read(struct arena *a, struct str line, struct rpc_message *ret, struct rpc_error *ret_error);

/* "no such handle: X", cut after RPC_MAX_SHOWN bytes, because a plan sent as a handle by mistake contains secrets. */
struct str rpc_shown(struct arena *a, struct str text);

/*
 * An answer is begun, gets one value, and is ended; an error is written as a whole. `id` NULL: null. Lines end with a line feed.
 */
void rpc_begin_answer(struct json_writer *w, const struct json *id);
void rpc_begin_notification(struct json_writer *w, struct str method);
bool rpc_end(struct json_writer *w);
void rpc_write_error(struct buf *out, const struct json *id, const struct rpc_error *error);
