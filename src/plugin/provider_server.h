/*
 * A provider, from the server's side: implement some of these functions, and they are served as protocol 5 or 6.
 *
 * A call whose function is NULL is answered "unimplemented", except for those that every client needs: validation, configure and
 * stop then succeed without doing anything; upgrade_state returns the stored state, without the attributes that the schema no
 * longer has. Metadata, functions and identities are answered from the schema.
 *
 * Functions run on call threads, concurrently. They add their diagnostics to `diags` and fill the response as far as they can,
 * even when they fail. Values in requests are decoded by the schema; a request that does not fit the schema is answered with an
 * error diagnostic, and the function is not called.
 */
#pragma once

#include "grpc/server.h"
#include "protocol/rpc.h"

#define SERVER_CALL(id, name, request_type, response_type)                                                                       \
    void (*name)(void *ctx, struct arena *a, const struct request_type *request, struct diags *diags,                            \
                 struct response_type *response);
#define SERVER_CALL_EMPTY(id, name, request_type)                                                                                \
    void (*name)(void *ctx, struct arena *a, const struct request_type *request, struct diags *diags);

/* Send one event of a stream; false: the client is gone, stop. */
struct event_sink;
bool event_sink_list(struct event_sink *sink, const struct list_event *event);
/* If the function returns without having sent a `completed` event, one without diagnostics is sent. */
bool event_sink_action(struct event_sink *sink, const struct action_event *event, const struct diags *diags);

enum server_ready { SERVER_READY_METADATA, SERVER_READY_SCHEMA, SERVER_READY_IDENTITIES };

struct provider_ops {
    const struct provider_schema *(*schema)(void *ctx, struct diags *diags); /* required; called once */
    /*
     * For providers with very many types; both are optional. `ready` returns a constant response (SERVER_READY_*) as bytes of
     * this protocol that were encoded earlier and live as long as the server; empty: the response is made from the schema.
     * `schema_of` returns a schema with everything that belongs to one type; it also lives as long as the server. NULL: there is
     * no such type; NULL with a diagnostic: the type cannot be loaded, and the diagnostic is the answer. With `schema_of`, the
     * result of `schema` needs no types.
     */
    struct str (*ready)(void *ctx, int protocol, enum server_ready what);
    const struct provider_schema *(*schema_of)(void *ctx, struct str type_name, struct diags *diags);
    /* One function for each row: validate_provider, read, plan, ... */
    RPC_CALLS(SERVER_CALL, SERVER_CALL_EMPTY)
    void (*list)(void *ctx, struct arena *a, const struct list_request *request, struct event_sink *sink);
    void (*invoke_action)(void *ctx, struct arena *a, const struct invoke_action_request *request, struct event_sink *sink);
    void (*stop)(void *ctx);
    /*
     * State stores, only in protocol 6: in protocol 5 they are always "unimplemented". The functions get and return whole states
     * (at most STATE_MAX bytes); the server splits and joins chunks. When configure_state_store is called, response->chunk_size
     * is already set to the size that the client proposes, or to the default; the value that the function leaves there is used
     * for reading.
     */
    RPC_STATE_STORE_CALLS(SERVER_CALL, SERVER_CALL_EMPTY)
    /* The bytes must live as long as the arena. */
    SERVER_CALL(READ_STATE, read_state, state_store_request, read_state_response)
    /* Called with whole states only. */
    SERVER_CALL_EMPTY(WRITE_STATE, write_state, write_state_request)
    /*
     * For tests that misbehave on purpose: called for every call with its first message, before that is decoded, on the thread
     * that then runs the function. It may handle the call itself (return true): answer with any bytes, sleep, or not answer at
     * all.
     */
    bool (*intercept)(void *ctx, struct grpc_call *call, struct str request);
};

struct provider_server_options {
    const struct provider_ops *ops;
    void *ctx;
    int protocol; /* 5 or 6; 0: the highest the client offers */
    struct log *log;
    const char *reattach_source; /* not NULL: no handshake; listens without TLS and prints the value for TF_REATTACH_PROVIDERS */
};

/*
 * Serves until the client calls Shutdown or disappears (with reattach: until SIGINT, SIGTERM or SIGHUP). Returns the exit code.
 * Without the magic cookie in the environment it prints to stderr what this program is and how it is used, and returns 1.
 */
int provider_serve(const struct provider_server_options *options);
