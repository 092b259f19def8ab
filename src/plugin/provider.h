/*
 * A running provider, seen from the client: one function a call of the protocol, for protocol 5 and 6 alike.
 *
 * Calls block the calling thread and may run at once from many threads. Each takes an arena for what it returns, options
 * (deadline, cancellation) and diagnostics. A call that was answered gives PROVIDER_OK even when the answer holds error
 * diagnostics; the response is then still filled (partial state!). Any other status means there is no response, and a diagnostic
 * says why, naming the guilty side; it includes the last lines of stderr after a crash.
 */
#pragma once

#include "grpc/client.h"
#include "protocol/rpc.h"
#include "protocol/schema_bytes.h"

enum provider_status {
    PROVIDER_OK,
    PROVIDER_UNSUPPORTED, /* the provider has no such call: an answer, not a crash; no diagnostic is added */
    PROVIDER_GONE,        /* crashed, killed or disconnected: worth a retry on a new process */
    PROVIDER_TIMEOUT,
    PROVIDER_CANCELLED,
    PROVIDER_BROKEN, /* it answered with what cannot be understood, or refused the call in its own way */
};

struct provider;

/* The provider's name for messages: its source address or the file's name. */
struct str provider_name(const struct provider *p);
int provider_protocol(const struct provider *p); /* 5 or 6 */
/* Has the process or the connection ended? */
bool provider_is_gone(const struct provider *p);
/* Asks to shut down, waits 2 s, kills; frees. No call may be running. NULL is accepted. */
void provider_free(struct provider *p);

/*
 * The schema, fetched by the first call (which every process must see once unless the provider says otherwise), then kept;
 * identities come with it. NULL and diagnostics when it cannot be had. Calls below that carry values need it and fetch it
 * themselves.
 */
const struct provider_schema *provider_schema(struct provider *p, const struct grpc_call_options *o, struct diags *diags);
/* The bytes of both answers, for a cache. */
bool provider_fetch_schema_bytes(struct provider *p, struct arena *a, const struct grpc_call_options *o, struct diags *diags,
                                 struct schema_bytes *ret);
/* Gives the provider a schema decoded elsewhere, which must outlive it. */
void provider_use_schema(struct provider *p, const struct provider_schema *schema);

#define PROVIDER_CALL(name, request_type, response_type)                                                                         \
    enum provider_status provider_##name(struct provider *p, struct arena *a, const struct request_type *request,                \
                                         const struct grpc_call_options *options, struct diags *diags,                           \
                                         struct response_type *ret)
#define PROVIDER_CALL_EMPTY(name, request_type)                                                                                  \
    enum provider_status provider_##name(struct provider *p, struct arena *a, const struct request_type *request,                \
                                         const struct grpc_call_options *options, struct diags *diags)

enum provider_status provider_metadata(struct provider *p, struct arena *a, const struct grpc_call_options *options,
                                       struct diags *diags, struct metadata_response *ret);
/* A call of each row: provider_validate_provider(), provider_read(), provider_plan(), ... */
#define PROVIDER_CALL_DECLARED(id, name, request_type, response_type) PROVIDER_CALL(name, request_type, response_type);
#define PROVIDER_CALL_EMPTY_DECLARED(id, name, request_type) PROVIDER_CALL_EMPTY(name, request_type);
RPC_CALLS(PROVIDER_CALL_DECLARED, PROVIDER_CALL_EMPTY_DECLARED)

/*
 * Ahead of their callers: metadata, actions and state stores. The engine uses none of them yet; tests call them,
 * which proves the codecs of both protocols and the server's side (`provider_serve`) call by call.
 */

/* Streams: `on_event` runs on the calling thread, with memory that lasts until it returns; false ends the stream early. */
typedef bool list_event_fn(void *ctx, const struct list_event *event);
enum provider_status provider_list(struct provider *p, const struct list_request *request,
                                   const struct grpc_call_options *options, struct diags *diags, list_event_fn *on_event,
                                   void *ctx);
typedef bool action_event_fn(void *ctx, const struct action_event *event);
enum provider_status provider_invoke_action(struct provider *p, const struct invoke_action_request *request,
                                            const struct grpc_call_options *options, struct diags *diags,
                                            action_event_fn *on_event, void *ctx);

/* Asks the provider to give up what it is doing; calls in flight still end by themselves. */
enum provider_status provider_stop(struct provider *p, const struct grpc_call_options *options, struct diags *diags);

/* State stores (protocol 6). */
RPC_STATE_STORE_CALLS(PROVIDER_CALL_DECLARED, PROVIDER_CALL_EMPTY_DECLARED)
/* The whole state, put together from its chunks (bounded), or sent in chunks. */
enum provider_status provider_read_state(struct provider *p, struct arena *a, const struct state_store_request *request,
                                         const struct grpc_call_options *options, struct diags *diags, struct str *ret_bytes);
enum provider_status provider_write_state(struct provider *p, const struct state_store_request *request, struct str bytes,
                                          int64_t chunk_size, const struct grpc_call_options *options, struct diags *diags);
