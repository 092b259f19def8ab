/*
 * Calls that stream: lists and actions answer with events, state stores move bytes in chunks.
 *
 * Events are decoded into an arena that is emptied after each, so a list of a million objects needs the memory of one.
 */
#include "plugin/provider_private.h"

enum { DEFAULT_CHUNK = 8 << 20 };
#define MAX_STATE PLUGIN_MAX_MESSAGE

/* One stream with its coding: what all of these calls begin and end with. */
struct streaming {
    struct provider *p;
    enum rpc rpc;
    struct diags *diags;
    struct grpc_stream *stream;
    struct coding coding;
    struct arena *event; /* of one message */
};

/* False: *reterr_status says why. */
static bool begin(struct streaming *s, struct provider *p, enum rpc rpc, const struct grpc_call_options *options,
                  struct diags *diags, enum provider_status *reterr_status)
{
    *s = (struct streaming){.p = p, .rpc = rpc, .diags = diags};
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

/* False when the request cannot be written (which has been said) or the call has ended (which finish() says). */
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

/* The next message of the answer; false at its end, or (with a status) when it cannot be read. What it holds lasts until the
 * next. */
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

/* Frees all; the status is what the stream ended with if nothing went wrong before. */
static enum provider_status finish(struct streaming *s, enum provider_status status)
{
    if (status == PROVIDER_OK) {
        struct grpc_result result = grpc_stream_result(s->stream, s->event);
        status = provider_judge(s->p, s->rpc, &result, s->diags);
    }
    grpc_stream_free(s->stream);
    arena_free(s->event);
    return status;
}

/* The receiver has had enough: that is no failure. */
static enum provider_status abandon(struct streaming *s)
{
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

/* Chunks come in order and without gaps. */
static enum provider_status add_chunk(struct streaming *s, struct buf *state, const struct state_chunk *chunk)
{
    if (chunk->bytes.n > 0 && (chunk->start != (int64_t)state->n || chunk->end != chunk->start + (int64_t)chunk->bytes.n - 1))
        return bad_chunk(s, "a range is not where the one before it ended, or not as long as its bytes");
    if (chunk->total_length < 0 || (uint64_t)chunk->total_length > MAX_STATE)
        return bad_chunk(s, "the total length is not one a state can have");
    buf_add(state, chunk->bytes);
    return buf_ok(state) ? PROVIDER_OK : bad_chunk(s, "together they are larger than a state may be");
}

enum provider_status provider_read_state(struct provider *p, struct arena *a, const struct state_store_request *request,
                                         const struct grpc_call_options *options, struct diags *diags, struct str *ret_bytes)
{
    struct streaming s;
    enum provider_status status = PROVIDER_BROKEN;
    if (!begin(&s, p, RPC_READ_STATE, options, diags, &status))
        return status;
    size_t errors_before = diags->n_errors;
    struct buf state BUF_AUTO = BUF_INIT(MAX_STATE);
    int64_t total = 0;
    if (send_message(&s, request, &status)) {
        grpc_stream_close_send(s.stream);
        for (struct state_chunk chunk; status == PROVIDER_OK && receive_message(&s, &chunk, &status);) {
            status = add_chunk(&s, &state, &chunk);
            total = chunk.total_length;
        }
    }
    status = finish(&s, status);
    if (status == PROVIDER_OK && diags->n_errors == errors_before && total != (int64_t)state.n)
        status = bad_chunk(&s, "together they are not as long as announced");
    if (status == PROVIDER_OK)
        *ret_bytes = buf_copy(&state, a);
    buf_wipe(&state); /* states hold secrets */
    return status;
}

enum provider_status provider_write_state(struct provider *p, const struct state_store_request *request, struct str bytes,
                                          int64_t chunk_size, const struct grpc_call_options *options, struct diags *diags)
{
    struct streaming s;
    enum provider_status status = PROVIDER_BROKEN;
    if (!begin(&s, p, RPC_WRITE_STATE, options, diags, &status))
        return status;
    size_t step = chunk_size > 0 && chunk_size < DEFAULT_CHUNK ? (size_t)chunk_size : DEFAULT_CHUNK;
    struct state_chunk chunk = {.type_name = request->type_name, .state_id = request->state_id, .total_length = (int64_t)bytes.n};
    size_t sent = 0;
    bool open;
    do {
        chunk.bytes = str_slice(bytes, sent, sent + step);
        chunk.start = (int64_t)sent;
        chunk.end = chunk.bytes.n > 0 ? (int64_t)(sent + chunk.bytes.n - 1) : 0;
        open = send_message(&s, &chunk, &status);
        sent += chunk.bytes.n;
        chunk.type_name = chunk.state_id = STR_EMPTY; /* said once */
    } while (open && sent < bytes.n);
    if (status == PROVIDER_OK) {
        grpc_stream_close_send(s.stream);
        (void)receive_message(&s, NULL, &status);
    }
    return finish(&s, status);
}
