/*
 * A provider, seen from the inside: implement some of these functions and be served as protocol 5 or 6.
 *
 * A function that is NULL answers "unimplemented", but for those without which no client could work: validation, configure and
 * stop then do nothing and succeed; upgrade_state answers with the stored state as it is, without the attributes that the
 * schema no longer has. Metadata, functions and identities are answered from the schema.
 *
 * Functions run on call threads, several at once. They add their diagnostics to `diags` and fill the response as far as they
 * can even when they fail. Values in requests are decoded by the schema; a request that does not fit it is answered with an
 * error diagnostic and never reaches the function.
 */
#pragma once

#include "grpc/server.h"
#include "protocol/rpc.h"

#define SERVER_CALL(name, request_type, response_type)                                                                           \
    void (*name)(void *ctx, struct arena *a, const struct request_type *request, struct diags *diags,                            \
                 struct response_type *response)
#define SERVER_CALL_EMPTY(name, request_type)                                                                                    \
    void (*name)(void *ctx, struct arena *a, const struct request_type *request, struct diags *diags)

/* Sends one event of a stream; false: the client is gone, stop. */
struct event_sink;
bool event_sink_list(struct event_sink *sink, const struct list_event *event);
/* If the function returns without a `completed` event, one without diagnostics is sent. */
bool event_sink_action(struct event_sink *sink, const struct action_event *event, const struct diags *diags);

enum server_ready { SERVER_READY_METADATA, SERVER_READY_SCHEMA, SERVER_READY_IDENTITIES };

struct provider_ops {
    const struct provider_schema *(*schema)(void *ctx, struct diags *diags); /* required; asked for once */
    /*
     * For a provider with very many types, both optional. `ready` gives an answer that never changes (SERVER_READY_*) as bytes of
     * this protocol that were encoded earlier and last as long as the server; empty: it is made from the schema. `schema_of`
     * gives the schema with all that belongs to one type, and NULL when there is no such type; it lasts as long as the server,
     * too. What `schema` gives then needs no types. NULL with a diagnostic: the type cannot be had, and this is the answer.
     */
    struct str (*ready)(void *ctx, int protocol, enum server_ready what);
    const struct provider_schema *(*schema_of)(void *ctx, struct str type_name, struct diags *diags);
    SERVER_CALL(validate_provider, validate_provider_request, validate_provider_response);
    SERVER_CALL_EMPTY(validate_resource, validate_request);
    SERVER_CALL_EMPTY(validate_data, validate_request);
    SERVER_CALL_EMPTY(validate_ephemeral, validate_request);
    SERVER_CALL_EMPTY(validate_list, validate_list_request);
    SERVER_CALL_EMPTY(validate_action, validate_request);
    SERVER_CALL_EMPTY(configure, configure_request);
    SERVER_CALL(upgrade_state, upgrade_state_request, upgrade_state_response);
    SERVER_CALL(upgrade_identity, upgrade_identity_request, upgrade_identity_response);
    SERVER_CALL(read, read_request, read_response);
    SERVER_CALL(plan, plan_request, plan_response);
    SERVER_CALL(apply, apply_request, apply_response);
    SERVER_CALL(import, import_request, import_response);
    SERVER_CALL(move, move_request, move_response);
    SERVER_CALL(generate_config, generate_config_request, generate_config_response);
    SERVER_CALL(read_data, read_data_request, read_data_response);
    SERVER_CALL(open_ephemeral, open_ephemeral_request, open_ephemeral_response);
    SERVER_CALL(renew_ephemeral, renew_ephemeral_request, renew_ephemeral_response);
    SERVER_CALL_EMPTY(close_ephemeral, close_ephemeral_request);
    SERVER_CALL(call_function, call_function_request, call_function_response);
    void (*list)(void *ctx, struct arena *a, const struct list_request *request, struct event_sink *sink);
    SERVER_CALL(plan_action, plan_action_request, plan_action_response);
    void (*invoke_action)(void *ctx, struct arena *a, const struct invoke_action_request *request, struct event_sink *sink);
    void (*stop)(void *ctx);
    /*
     * State stores, of protocol 6 only: protocol 5 answers "unimplemented" whatever is here. States are seen whole (at most
     * STATE_MAX bytes); the server cuts them and puts them together. When configure_state_store is called, response->chunk_size
     * already is the size the client proposes, or a good one; what the function leaves there is what reading then uses.
     */
    SERVER_CALL_EMPTY(validate_state_store, validate_request);
    SERVER_CALL(configure_state_store, configure_state_store_request, configure_state_store_response);
    SERVER_CALL(read_state, state_store_request, read_state_response); /* the bytes must last until the arena goes */
    SERVER_CALL_EMPTY(write_state, write_state_request);               /* called with whole states only */
    SERVER_CALL(lock_state, state_store_request, lock_state_response);
    SERVER_CALL_EMPTY(unlock_state, state_store_request);
    SERVER_CALL(get_states, state_store_request, get_states_response);
    SERVER_CALL_EMPTY(delete_state, state_store_request);
    /*
     * For tests that misbehave on purpose: sees every call with its first message before that is decoded, on the thread that
     * then runs the function, and may answer it by itself (return true), with bytes of its own making, by sleeping, or not at
     * all.
     */
    bool (*intercept)(void *ctx, struct grpc_call *call, struct str request);
};

struct provider_server_options {
    const struct provider_ops *ops;
    void *ctx;
    int protocol; /* 5 or 6; 0: the highest the client offers */
    struct log *log;
    const char *reattach_source; /* not NULL: no handshake; listen in clear text and print the TF_REATTACH_PROVIDERS value */
};

/*
 * Serves until the client asks for shutdown or goes away (or, with reattach, until SIGINT or SIGTERM). Without the magic
 * cookie in the environment it prints what this program is and how it is used, on stderr, and returns 1. Returns the exit code.
 */
int provider_serve(const struct provider_server_options *options);
