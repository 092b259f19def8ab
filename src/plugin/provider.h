/*
 * A running provider, from the client's side: one function for each call of the protocol, the same for protocol 5 and 6.
 *
 * Calls block the calling thread; many threads may call at the same time. Each takes an arena for its result, options (deadline,
 * cancellation) and diagnostics. A call that was answered returns PROVIDER_OK even if the answer has error diagnostics; the
 * response is then still filled (partial state!). Any other status means that there is no response, and a diagnostic says why and
 * which side is at fault; after a crash it includes the last lines of stderr.
 */
#pragma once

#include "grpc/client.h"
#include "protocol/rpc.h"
#include "protocol/schema_bytes.h"

enum provider_status {
    PROVIDER_OK,
    PROVIDER_UNSUPPORTED, /* the provider does not implement the call: an answer, not a crash; no diagnostic is added */
    PROVIDER_GONE,        /* crashed, killed or disconnected: a retry on a new process may work */
    PROVIDER_TIMEOUT,
    PROVIDER_CANCELLED,
    PROVIDER_BROKEN, /* its answer could not be decoded, or it refused the call with a gRPC error */
};

struct provider;

/* The provider's name in messages: its source address or the file's name. */
struct str provider_name(const struct provider *p);
int provider_protocol(const struct provider *p); /* 5 or 6 */
/* Has the process or the connection ended? */
bool provider_is_gone(const struct provider *p);
/* Asks the process to shut down, waits 2 s, kills it, and frees the provider. No call may be running. NULL is accepted. */
void provider_free(struct provider *p);

/*
 * The schema with its identities, fetched by the first call and then kept. (Every process must be asked for it once, unless the
 * provider says otherwise.) NULL with diagnostics on failure. Calls below that carry values need the schema and fetch it
 * themselves.
 */
const struct provider_schema *provider_schema(struct provider *p, const struct grpc_call_options *o, struct diags *diags);
/* The bytes of both responses, for a cache. */
bool provider_fetch_schema_bytes(struct provider *p, struct arena *a, const struct grpc_call_options *o, struct diags *diags,
                                 struct schema_bytes *ret);
/* Gives the provider a schema that was decoded elsewhere and must outlive it. */
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
/* One function for each row: provider_validate_provider(), provider_read(), provider_plan(), ... */
#define PROVIDER_CALL_DECLARED(id, name, request_type, response_type) PROVIDER_CALL(name, request_type, response_type);
#define PROVIDER_CALL_EMPTY_DECLARED(id, name, request_type) PROVIDER_CALL_EMPTY(name, request_type);
RPC_CALLS(PROVIDER_CALL_DECLARED, PROVIDER_CALL_EMPTY_DECLARED)

/*
 * Metadata, actions and state stores are not used by the engine yet. Tests call them, which covers the codecs of both protocols
 * and the server (`provider_serve`) call by call.
 */

/*
 * Streams: `on_event` runs on the calling thread; the event's memory is valid until it returns. If it returns false, the stream
 * ends early.
 */
typedef bool list_event_fn(void *ctx, const struct list_event *event);
enum provider_status provider_list(struct provider *p, const struct list_request *request,
                                   const struct grpc_call_options *options, struct diags *diags, list_event_fn *on_event,
                                   void *ctx);
typedef bool action_event_fn(void *ctx, const struct action_event *event);
enum provider_status provider_invoke_action(struct provider *p, const struct invoke_action_request *request,
                                            const struct grpc_call_options *options, struct diags *diags,
                                            action_event_fn *on_event, void *ctx);

/* Asks the provider to abort what it is doing (StopProvider); calls in flight still return by themselves. */
enum provider_status provider_stop(struct provider *p, const struct grpc_call_options *options, struct diags *diags);

/* State stores (protocol 6). */
RPC_STATE_STORE_CALLS(PROVIDER_CALL_DECLARED, PROVIDER_CALL_EMPTY_DECLARED)
/* Read a whole state, joining its chunks (bounded), and write one, split into chunks. */
enum provider_status provider_read_state(struct provider *p, struct arena *a, const struct state_store_request *request,
                                         const struct grpc_call_options *options, struct diags *diags, struct str *ret_bytes);
enum provider_status provider_write_state(struct provider *p, const struct state_store_request *request, struct str bytes,
                                          int64_t chunk_size, const struct grpc_call_options *options, struct diags *diags);
