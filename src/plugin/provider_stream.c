/*
 * Calls with streams: lists and actions answer with events, state stores transfer bytes in chunks.
 *
 * Events are decoded into an arena that is reset after each, so a list of a million objects needs the memory of one.
 */
#include "plugin/provider_private.h"
#include "protocol/state_chunks.h"

/* A stream with its coding, used by all of these calls. */
struct streaming {
    struct provider *p;
    enum rpc rpc;
    struct diags *diags;
    struct grpc_stream *stream;
    struct coding coding;
    struct arena *event; /* of one message */
    int64_t begun;
};

/* False: *reterr_status says why. */
static bool begin(struct streaming *s, struct provider *p, enum rpc rpc, const struct grpc_call_options *options,
                  struct diags *diags, enum provider_status *reterr_status)
{
    *s = (struct streaming){.p = p, .rpc = rpc, .diags = diags, .begun = clock_now(&system_clock)};
    if (!p->codec->calls[rpc]) {
        *reterr_status = PROVIDER_UNSUPPORTED;
        return false;
    }
    const struct provider_schema *schema = provider_schema_for_call(p, options, diags, reterr_status);
    if (!schema)
        return false;
    s->event = arena_new(NULL, 0);
    s->coding = provider_coding(p, rpc, s->event, schema, diags);
    s->stream = grpc_stream_open(plugin_client(p->plugin), p->codec->calls[rpc]->method, options);
    return true;
}

/* False when the request cannot be written (a diagnostic has been added) or the call has ended (finish() adds a diagnostic). */
static bool send_message(struct streaming *s, const void *request, enum provider_status *reterr_status)
{
    struct buf bytes BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
    *reterr_status = PROVIDER_OK;
    if (!coding_write_request(&s->coding, request, &bytes)) {
        *reterr_status = PROVIDER_BROKEN;
        return false;
    }
    return grpc_stream_send(s->stream, buf_str(&bytes));
}

/*
 * Receives the next message of the answer; false at its end, or (with a status) when it cannot be read. The message is valid
 * until the next one.
 */
static bool receive_message(struct streaming *s, void *ret, enum provider_status *reterr_status)
{
    arena_reset(s->event);
    struct str bytes;
    *reterr_status = PROVIDER_OK;
    if (!grpc_stream_recv(s->stream, s->event, &bytes))
        return false;
    if (coding_read_response(&s->coding, bytes, ret))
        return true;
    *reterr_status = PROVIDER_BROKEN;
    return false;
}

/* Frees everything. Returns the stream's final status, unless `status` is an earlier error. */
static enum provider_status finish(struct streaming *s, enum provider_status status)
{
    if (status == PROVIDER_OK) {
        struct grpc_result result = grpc_stream_result(s->stream, s->event);
        status = provider_judge(s->p, s->rpc, &result, s->diags);
    }
    provider_tell(s->p, s->rpc, status, s->begun);
    grpc_stream_free(s->stream);
    arena_free(s->event);
    return status;
}

/* The receiver ended the stream early, which is not an error. */
static enum provider_status abandon(struct streaming *s)
{
    provider_tell(s->p, s->rpc, PROVIDER_OK, s->begun);
    grpc_stream_free(s->stream);
    arena_free(s->event);
    return PROVIDER_OK;
}

enum provider_status provider_list(struct provider *p, const struct list_request *request,
                                   const struct grpc_call_options *options, struct diags *diags, list_event_fn *on_event,
                                   void *ctx)
{
    struct streaming s;
    enum provider_status status = PROVIDER_BROKEN;
    if (!begin(&s, p, RPC_LIST, options, diags, &status))
        return status;
    if (!send_message(&s, request, &status))
        return finish(&s, status);
    grpc_stream_close_send(s.stream);
    for (struct list_event event; receive_message(&s, &event, &status);)
        if (!on_event(ctx, &event))
            return abandon(&s);
    return finish(&s, status);
}

enum provider_status provider_invoke_action(struct provider *p, const struct invoke_action_request *request,
                                            const struct grpc_call_options *options, struct diags *diags,
                                            action_event_fn *on_event, void *ctx)
{
    struct streaming s;
    enum provider_status status = PROVIDER_BROKEN;
    if (!begin(&s, p, RPC_INVOKE_ACTION, options, diags, &status))
        return status;
    if (!send_message(&s, request, &status))
        return finish(&s, status);
    grpc_stream_close_send(s.stream);
    bool completed = false;
    for (struct action_event event; receive_message(&s, &event, &status);) {
        completed |= event.completed;
        if (!on_event(ctx, &event))
            return abandon(&s);
    }
    status = finish(&s, status);
    if (status == PROVIDER_OK && !completed) {
        struct str name = provider_name(p);
        diags_fail(diags, "Invalid answer from provider",
                   "provider \"" STR_FMT "\" ended InvokeAction for " STR_FMT
                   " without saying that the action is complete. This is a bug in the provider.",
                   STR_ARG(name), STR_ARG(request->type_name));
        return PROVIDER_BROKEN;
    }
    return status;
}

/* State stores */

static enum provider_status bad_chunk(struct streaming *s, const char *why)
{
    struct str name = provider_name(s->p);
    diags_fail(s->diags, "Invalid answer from provider",
               "provider \"" STR_FMT "\" sent the state in chunks that do not fit together: %s. This is a bug in the provider.",
               STR_ARG(name), why);
    return PROVIDER_BROKEN;
}

enum provider_status provider_read_state(struct provider *p, struct arena *a, const struct state_store_request *request,
                                         const struct grpc_call_options *options, struct diags *diags, struct str *ret_bytes)
{
    struct streaming s;
    enum provider_status status = PROVIDER_BROKEN;
    if (!begin(&s, p, RPC_READ_STATE, options, diags, &status))
        return status;
    size_t errors_before = diags->n_errors;
    struct state_parts parts = STATE_PARTS_INIT;
    const char *problem = NULL;
    if (send_message(&s, request, &status)) {
        grpc_stream_close_send(s.stream);
        for (struct state_chunk chunk; !problem && receive_message(&s, &chunk, &status);)
            problem = state_parts_add(&parts, &chunk);
    }
    status = finish(&s, problem ? bad_chunk(&s, problem) : status);
    problem = state_parts_end(&parts);
    if (status == PROVIDER_OK && diags->n_errors == errors_before && problem)
        status = bad_chunk(&s, problem);
    if (status == PROVIDER_OK)
        *ret_bytes = buf_copy(&parts.bytes, a);
    buf_wipe(&parts.bytes);
    return status;
}

enum provider_status provider_write_state(struct provider *p, const struct state_store_request *request, struct str bytes,
                                          int64_t chunk_size, const struct grpc_call_options *options, struct diags *diags)
{
    struct streaming s;
    enum provider_status status = PROVIDER_BROKEN;
    if (bytes.n > STATE_MAX) { /* a larger one could never be read */
        diags_fail(diags, "State too large", "the state \"" STR_FMT "\" has %zu bytes; the limit is %zu bytes.",
                   STR_ARG(request->state_id), bytes.n, STATE_MAX);
        return status;
    }
    if (!begin(&s, p, RPC_WRITE_STATE, options, diags, &status))
        return status;
    int64_t step = state_chunk_size(chunk_size, STATE_CHUNK_DEFAULT);
    size_t sent = 0;
    bool open;
    do {
        struct state_chunk chunk = state_chunk_cut(bytes, sent, step);
        if (sent == 0) {
            chunk.type_name = request->type_name;
            chunk.state_id = request->state_id;
        }
        open = send_message(&s, &chunk, &status);
        sent += chunk.bytes.n;
    } while (open && sent < bytes.n);
    if (status == PROVIDER_OK) {
        grpc_stream_close_send(s.stream);
        (void)receive_message(&s, NULL, &status);
    }
    return finish(&s, status);
}
