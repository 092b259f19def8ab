/*
 * State stores on the server's side: the chunk size is negotiated, and states are split into chunks and joined again.
 *
 * The functions of provider_ops get only complete states: a state whose chunks do not fit together, or whose client disconnected
 * before the end, is never written.
 */
#include "plugin/dispatch_private.h"
#include "protocol/state_chunks.h"

#include <stdatomic.h>

void dispatch_prepare_stores(struct dispatch *d)
{
    const struct map *stores = &d->schema->state_stores;
    map_init(&d->chunk_sizes, d->arena);
    for (size_t i = 0; i < stores->n; i++) {
        atomic_llong *size = arena_make(d->arena, atomic_llong);
        atomic_init(size, STATE_CHUNK_DEFAULT);
        map_put(&d->chunk_sizes, stores->entries[i].key, size);
    }
}

/* Answered even without a function: clients need the chunk size. */
void dispatch_configure_state_store(const struct dispatch *d, struct arena *a, const void *request, struct diags *diags,
                                    void *response)
{
    const struct configure_state_store_request *asked = request;
    struct configure_state_store_response *answer = response;
    int64_t proposed = state_chunk_size(asked->chunk_size, STATE_CHUNK_DEFAULT);
    answer->chunk_size = proposed;
    if (d->ops->configure_state_store)
        d->ops->configure_state_store(d->ctx, a, request, diags, response);
    answer->chunk_size = state_chunk_size(answer->chunk_size, proposed);
    if (diags->n_errors == 0)
        atomic_store((atomic_llong *)map_get(&d->chunk_sizes, asked->type_name), answer->chunk_size);
}

/* Reading */

/* The diagnostics are sent with the first chunk; an empty state without diagnostics has no chunk. */
static void send_state(struct coding *c, struct grpc_call *call, struct str state, int64_t size)
{
    const struct diags *diags = c->diags->n > 0 ? c->diags : NULL;
    bool open = true;
    for (size_t sent = 0; open && (sent < state.n || diags);) {
        struct state_chunk chunk = state_chunk_cut(state, sent, size);
        open = dispatch_send(c, call, &chunk, diags);
        sent += chunk.bytes.n;
        diags = NULL;
    }
    grpc_call_finish(call, GRPC_OK, STR_EMPTY);
}

void dispatch_read_state(const struct dispatch *d, struct coding *c, struct grpc_call *call, struct str message)
{
    struct state_store_request request;
    struct read_state_response response = {STR_EMPTY};
    if (!coding_read_request(c, message, &request)) {
        dispatch_answer(c, call, NULL, c->diags);
        return;
    }
    d->ops->read_state(d->ctx, c->arena, &request, c->diags, &response);
    if (response.bytes.n > STATE_MAX)
        diags_fail(c->diags, "State too large", "the state \"" STR_FMT "\" has %zu bytes; the limit is %zu bytes.",
                   STR_ARG(request.state_id), response.bytes.n, STATE_MAX);
    if (c->diags->n_errors > 0)
        response.bytes = STR_EMPTY;
    send_state(c, call, response.bytes, atomic_load((atomic_llong *)map_get(&d->chunk_sizes, request.type_name)));
}

/* Writing */

static bool bad_chunks(struct coding *c, const char *why)
{
    return diags_fail(
        c->diags, "Invalid request to provider",
        "the state came in chunks that do not fit together: %s. This is a bug in the program that uses the provider.", why);
}

/* The first chunk names the type and the state; the names must outlive that chunk's memory. */
static bool take_names(struct coding *c, struct arena *a, const struct state_chunk *chunk, struct write_state_request *request)
{
    bool is_first = request->type_name.n == 0;
    if (is_first != (chunk->type_name.n > 0))
        return bad_chunks(c, is_first ? "the first does not name the state" : "one after the first names a state");
    if (is_first)
        *request = (struct write_state_request){
            .type_name = arena_str(a, chunk->type_name), .state_id = arena_str(a, chunk->state_id), .bytes = STR_EMPTY};
    return true;
}

/*
 * Reads to the end of the stream. False: a diagnostic says why, or the client is gone and needs no answer. Chunks are decoded
 * into an arena that is reset after each.
 */
static bool receive_state(struct coding *c, struct grpc_call *call, struct str message, struct state_parts *parts,
                          struct write_state_request *ret)
{
    struct arena *a = c->arena, *each ARENA_AUTO = arena_new(NULL, 0);
    struct write_state_request request = {STR_EMPTY, STR_EMPTY, STR_EMPTY};
    const char *problem = NULL;
    bool ok;
    c->arena = each;
    do {
        struct state_chunk chunk;
        ok = coding_read_request(c, message, &chunk) && take_names(c, a, &chunk, &request);
        problem = ok ? state_parts_add(parts, &chunk) : NULL;
        c->type_name = request.type_name;
        arena_reset(each);
    } while (ok && !problem && grpc_call_recv(call, &message));
    c->arena = a;
    if (!ok || grpc_call_cancelled(call))
        return false;
    if (!problem)
        problem = state_parts_end(parts);
    if (problem)
        return bad_chunks(c, problem);
    request.bytes = buf_str(&parts->bytes);
    *ret = request;
    return true;
}

void dispatch_write_state(const struct dispatch *d, struct coding *c, struct grpc_call *call, struct str message)
{
    struct state_parts parts = STATE_PARTS_INIT;
    struct write_state_request request;
    if (receive_state(c, call, message, &parts, &request))
        d->ops->write_state(d->ctx, c->arena, &request, c->diags);
    dispatch_answer(c, call, NULL, c->diags);
    buf_wipe(&parts.bytes);
}
