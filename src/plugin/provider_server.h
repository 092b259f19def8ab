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

#define SERVER_CALL(id, name, request_type, response_type)                                                                       \
    void (*name)(void *ctx, struct arena *a, const struct request_type *request, struct diags *diags,                            \
                 struct response_type *response);
#define SERVER_CALL_EMPTY(id, name, request_type)                                                                                \
    void (*name)(void *ctx, struct arena *a, const struct request_type *request, struct diags *diags);

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
    /* A function of each row: validate_provider, read, plan, ... */
    RPC_CALLS(SERVER_CALL, SERVER_CALL_EMPTY)
    void (*list)(void *ctx, struct arena *a, const struct list_request *request, struct event_sink *sink);
    void (*invoke_action)(void *ctx, struct arena *a, const struct invoke_action_request *request, struct event_sink *sink);
    void (*stop)(void *ctx);
    /*
     * State stores, of protocol 6 only: protocol 5 answers "unimplemented" whatever is here. States are seen whole (at most
     * STATE_MAX bytes); the server cuts them and puts them together. When configure_state_store is called, response->chunk_size
     * already is the size the client proposes, or a good one; what the function leaves there is what reading then uses.
     */
    RPC_STATE_STORE_CALLS(SERVER_CALL, SERVER_CALL_EMPTY)
    /* The bytes must last until the arena goes. */
    SERVER_CALL(READ_STATE, read_state, state_store_request, read_state_response)
    /* Called with whole states only. */
    SERVER_CALL_EMPTY(WRITE_STATE, write_state, write_state_request)
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
