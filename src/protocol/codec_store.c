/*
 * Calls about state stores, which only protocol 6 has.
 */
#include "protocol/codec_private.h"

#if PROTOCOL != 6
#error "protocol 6 only"
#endif

static void store_name(struct coding *c, ProtobufCBinaryData *wire, struct str *plain)
{
    filter_type_name(c, wire, plain, &c->schema->state_stores, "state store");
}

/* One struct serves several calls: fields that a call does not have are read as empty. */
static void store_request(struct coding *c, ProtobufCBinaryData *wire, struct state_store_request *plain)
{
    if (!coding_is_writing(c))
        *plain = (struct state_store_request){STR_EMPTY, STR_EMPTY, STR_EMPTY, STR_EMPTY};
    store_name(c, wire, &plain->type_name);
}

static void filter_chunk_size(struct coding *c, PB(ConfigureStateStore__Capabilities) * *wire, int64_t *plain)
{
    if (coding_is_writing(c))
        *wire = message_new(c->scratch, PB_DESCRIPTOR(configure_state_store__capabilities));
    else
        *plain = 0;
    if (*wire)
        filter_int(c, &(*wire)->chunk_size, plain);
}

static void configure_state_store_request(struct coding *c, void *message, void *plain)
{
    PB(ConfigureStateStore__Request) *w = message;
    struct configure_state_store_request *r = plain;
    store_name(c, &w->type_name, &r->type_name);
    filter_value(c, "config", &w->config, &r->config, coding_type_in(c, &c->schema->state_stores));
    filter_chunk_size(c, &w->capabilities, &r->chunk_size);
}

static void configure_state_store_response(struct coding *c, void *message, void *plain)
{
    PB(ConfigureStateStore__Response) *w = message;
    struct configure_state_store_response *r = plain;
    filter_chunk_size(c, &w->capabilities, &r->chunk_size);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_configure_state_store) = {
    NAMED("ConfigureStateStore"),
    .request = MESSAGE(configure_state_store__request, configure_state_store_request, configure_state_store_request),
    .response = MESSAGE(configure_state_store__response, configure_state_store_response, configure_state_store_response),
};

static void filter_range(struct coding *c, PB(StateRange) * *wire, struct state_chunk *plain)
{
    if (coding_is_writing(c))
        *wire = message_new(c->scratch, PB_DESCRIPTOR(state_range));
    else
        plain->start = plain->end = 0;
    if (!*wire)
        return;
    filter_int(c, &(*wire)->start, &plain->start);
    filter_int(c, &(*wire)->end, &plain->end);
}

static void read_state_request(struct coding *c, void *message, void *plain)
{
    PB(ReadStateBytes__Request) *w = message;
    struct state_store_request *r = plain;
    store_request(c, &w->type_name, r);
    filter_bytes(c, &w->state_id, &r->state_id);
}

static void read_state_chunk(struct coding *c, void *message, void *plain)
{
    PB(ReadStateBytes__ResponseChunk) *w = message;
    struct state_chunk *r = plain;
    if (!coding_is_writing(c))
        r->type_name = r->state_id = STR_EMPTY;
    filter_bytes(c, &w->bytes, &r->bytes);
    filter_int(c, &w->total_length, &r->total_length);
    filter_range(c, &w->range, r);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_read_state) = {
    NAMED("ReadStateBytes"),
    .request = MESSAGE(read_state_bytes__request, read_state_request, state_store_request),
    .response = MESSAGE(read_state_bytes__response_chunk, read_state_chunk, state_chunk),
};

static void write_state_chunk(struct coding *c, void *message, void *plain)
{
    PB(WriteStateBytes__RequestChunk) *w = message;
    struct state_chunk *r = plain;
    if (coding_is_writing(c) && r->type_name.n > 0)
        w->meta = message_new(c->scratch, PB_DESCRIPTOR(write_state_bytes__meta));
    if (w->meta) {
        store_name(c, &w->meta->type_name, &r->type_name);
        filter_bytes(c, &w->meta->state_id, &r->state_id);
    } else if (!coding_is_writing(c)) {
        r->type_name = r->state_id = STR_EMPTY;
    }
    filter_bytes(c, &w->bytes, &r->bytes);
    filter_int(c, &w->total_length, &r->total_length);
    filter_range(c, &w->range, r);
}

static void write_state_response(struct coding *c, void *message, void *plain)
{
    (void)plain;
    PB(WriteStateBytes__Response) *w = message;
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_write_state) = {
    NAMED("WriteStateBytes"),
    .request = MESSAGE(write_state_bytes__request_chunk, write_state_chunk, state_chunk),
    .response = NO_STRUCT(write_state_bytes__response, write_state_response),
};

static void lock_state_request(struct coding *c, void *message, void *plain)
{
    PB(LockState__Request) *w = message;
    struct state_store_request *r = plain;
    store_request(c, &w->type_name, r);
    filter_bytes(c, &w->state_id, &r->state_id);
    filter_bytes(c, &w->operation, &r->operation);
}

static void lock_state_response(struct coding *c, void *message, void *plain)
{
    PB(LockState__Response) *w = message;
    struct lock_state_response *r = plain;
    filter_bytes(c, &w->lock_id, &r->lock_id);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_lock_state) = {
    NAMED("LockState"),
    .request = MESSAGE(lock_state__request, lock_state_request, state_store_request),
    .response = MESSAGE(lock_state__response, lock_state_response, lock_state_response),
};

static void unlock_state_request(struct coding *c, void *message, void *plain)
{
    PB(UnlockState__Request) *w = message;
    struct state_store_request *r = plain;
    store_request(c, &w->type_name, r);
    filter_bytes(c, &w->state_id, &r->state_id);
    filter_bytes(c, &w->lock_id, &r->lock_id);
}

static void unlock_state_response(struct coding *c, void *message, void *plain)
{
    (void)plain;
    PB(UnlockState__Response) *w = message;
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_unlock_state) = {
    NAMED("UnlockState"),
    .request = MESSAGE(unlock_state__request, unlock_state_request, state_store_request),
    .response = NO_STRUCT(unlock_state__response, unlock_state_response),
};

static void get_states_request(struct coding *c, void *message, void *plain)
{
    PB(GetStates__Request) *w = message;
    struct state_store_request *r = plain;
    store_request(c, &w->type_name, r);
}

static void get_states_response(struct coding *c, void *message, void *plain)
{
    PB(GetStates__Response) *w = message;
    struct get_states_response *r = plain;
    if (coding_is_writing(c)) {
        w->n_state_id = r->n_state_ids;
        w->state_id = arena_make_n(c->scratch, ProtobufCBinaryData, r->n_state_ids);
    } else {
        r->n_state_ids = w->n_state_id;
        r->state_ids = arena_make_n(c->arena, struct str, w->n_state_id);
    }
    for (size_t i = 0; i < r->n_state_ids; i++)
        filter_bytes(c, &w->state_id[i], &r->state_ids[i]);
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_get_states) = {
    NAMED("GetStates"),
    .request = MESSAGE(get_states__request, get_states_request, state_store_request),
    .response = MESSAGE(get_states__response, get_states_response, get_states_response),
};

static void delete_state_request(struct coding *c, void *message, void *plain)
{
    PB(DeleteState__Request) *w = message;
    struct state_store_request *r = plain;
    store_request(c, &w->type_name, r);
    filter_bytes(c, &w->state_id, &r->state_id);
}

static void delete_state_response(struct coding *c, void *message, void *plain)
{
    (void)plain;
    PB(DeleteState__Response) *w = message;
    filter_diagnostics(c, &w->n_diagnostics, &w->diagnostics);
}

const struct codec_call VERSIONED(call_delete_state) = {
    NAMED("DeleteState"),
    .request = MESSAGE(delete_state__request, delete_state_request, state_store_request),
    .response = NO_STRUCT(delete_state__response, delete_state_response),
};
