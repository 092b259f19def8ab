/*
 * The building blocks of filters. codec.c and codec_value.c are the same for both protocols; the other codec_*.c are compiled
 * once per protocol (codec_store.c for 6 only) with PROTOCOL set, and name protobuf-c's types and functions through the macros
 * below.
 */
#pragma once

#include "protocol/codec.h"
#include "protocol/proto_guard.h"

static inline bool coding_is_writing(const struct coding *c)
{
    return c->direction == REQUEST_OUT || c->direction == RESPONSE_OUT;
}

/* A zeroed message in the scratch arena: since all text fields are declared as `bytes`, zero is every field's default. */
void *message_new(struct arena *scratch, const ProtobufCMessageDescriptor *descriptor);
/* Appends the packed message. */
bool message_pack(struct buf *out, const void *message);

static inline ProtobufCBinaryData to_wire(struct str s)
{
    return (ProtobufCBinaryData){.len = s.n, .data = (uint8_t *)s.p};
}
static inline struct str from_wire(ProtobufCBinaryData b)
{
    return (struct str){b.len > 0 ? (const char *)b.data : "", b.len};
}
/* The text as valid UTF-8, which protobuf requires: invalid bytes become U+FFFD. A view of `s` if nothing has to change. */
struct str text_clean(struct arena *a, struct str s);

/* Add a diagnostic that a field or the message does not fit, and whose fault that is. */
void coding_fail(struct coding *c, const char *field, struct str why);
void coding_fail_message(struct coding *c, struct str why);

/* Filters of single fields, in either direction. Text that is read is copied into the coding's arena. */
void filter_bytes(struct coding *c, ProtobufCBinaryData *wire, struct str *plain);
void filter_bool(struct coding *c, protobuf_c_boolean *wire, bool *plain);
void filter_int(struct coding *c, int64_t *wire, int64_t *plain);
/* An optional field, which the protocol declares as a oneof with this one case; returns the new case. */
unsigned filter_optional_bytes(struct coding *c, unsigned wire_case, unsigned present, ProtobufCBinaryData *wire, bool *has,
                               struct str *plain);
/* The name of the type (or function) that the call is about; it must be in `map`, which is one of the schema's. */
void filter_type_name(struct coding *c, ProtobufCBinaryData *wire, struct str *plain, const struct map *map, const char *what);

/* The types of values; NULL if the schema has none (filter_type_name has reported it). */
const struct type *coding_type_in(const struct coding *c, const struct map *map);
const struct type *coding_identity_type(const struct coding *c, struct str type_name);
const struct type *coding_meta_type(const struct coding *c);

static inline void filter_resource_name(struct coding *c, ProtobufCBinaryData *wire, struct str *plain)
{
    filter_type_name(c, wire, plain, &c->schema->resources, "resource type");
}
static inline const struct type *coding_resource_type(const struct coding *c)
{
    return coding_type_in(c, &c->schema->resources);
}

/* The value as MessagePack, in the scratch arena; empty, and the coding fails, if it does not fit. */
struct str value_to_msgpack(struct coding *c, const char *field, const struct value *v, const struct type *t);
/* NULL if both are empty, or (then the coding fails) if the bytes do not fit the type. */
const struct value *value_from_wire(struct coding *c, const char *field, struct str msgpack, struct str json,
                                    const struct type *t);

#ifdef PROTOCOL
/* For the table of calls. */
#define MESSAGE(type, function, plain) {.descriptor = PB_DESCRIPTOR(type), .filter = function, .size = sizeof(struct plain)}
#define NO_STRUCT(type, function) /* nothing but diagnostics */ {.descriptor = PB_DESCRIPTOR(type), .filter = function}
#define EMPTY {.descriptor = PB_DESCRIPTOR(empty)}
#define NAMED_IN(service, text) .name = {text, sizeof text - 1}, .method = {service text, sizeof service text - 1}

#if PROTOCOL == 5
#include "tfplugin5.pb-c.h"
#define NAMED(text) NAMED_IN("/tfplugin5.Provider/", text)
#define NAMED_5_6(text5, text6) NAMED(text5)
#define PB(name) Tfplugin5__##name
#define PB_ENUM(name) TFPLUGIN5__##name
#define PB_DESCRIPTOR(name) (&tfplugin5__##name##__descriptor)
#define VERSIONED(name) name##5
#else
#include "tfplugin6.pb-c.h"
#define NAMED(text) NAMED_IN("/tfplugin6.Provider/", text)
#define NAMED_5_6(text5, text6) NAMED(text6)
#define PB(name) Tfplugin6__##name
#define PB_ENUM(name) TFPLUGIN6__##name
#define PB_DESCRIPTOR(name) (&tfplugin6__##name##__descriptor)
#define VERSIONED(name) name##6
#endif

/* Each call is defined beside its filters (codec_provider.c and so on); codec_table.c lists them all. */
#define CODEC_CALLS_BOTH(X)                                                                                                      \
    X(METADATA, metadata)                                                                                                        \
    X(SCHEMA, schema)                                                                                                            \
    X(IDENTITY_SCHEMAS, identity_schemas)                                                                                        \
    X(FUNCTIONS, functions)                                                                                                      \
    X(VALIDATE_PROVIDER, validate_provider)                                                                                      \
    X(VALIDATE_RESOURCE, validate_resource)                                                                                      \
    X(VALIDATE_DATA, validate_data)                                                                                              \
    X(VALIDATE_EPHEMERAL, validate_ephemeral)                                                                                    \
    X(VALIDATE_LIST, validate_list)                                                                                              \
    X(VALIDATE_ACTION, validate_action)                                                                                          \
    X(CONFIGURE, configure)                                                                                                      \
    X(UPGRADE_STATE, upgrade_state)                                                                                              \
    X(UPGRADE_IDENTITY, upgrade_identity)                                                                                        \
    X(READ, read)                                                                                                                \
    X(PLAN, plan)                                                                                                                \
    X(APPLY, apply)                                                                                                              \
    X(IMPORT, import)                                                                                                            \
    X(MOVE, move)                                                                                                                \
    X(GENERATE_CONFIG, generate_config)                                                                                          \
    X(READ_DATA, read_data)                                                                                                      \
    X(OPEN_EPHEMERAL, open_ephemeral)                                                                                            \
    X(RENEW_EPHEMERAL, renew_ephemeral)                                                                                          \
    X(CLOSE_EPHEMERAL, close_ephemeral)                                                                                          \
    X(CALL_FUNCTION, call_function)                                                                                              \
    X(LIST, list)                                                                                                                \
    X(PLAN_ACTION, plan_action)                                                                                                  \
    X(INVOKE_ACTION, invoke_action)                                                                                              \
    X(STOP, stop)
#if PROTOCOL == 5
#define CODEC_CALLS(X) CODEC_CALLS_BOTH(X)
#else
#define CODEC_CALLS(X)                                                                                                           \
    CODEC_CALLS_BOTH(X)                                                                                                          \
    X(VALIDATE_STATE_STORE, validate_state_store)                                                                                \
    X(CONFIGURE_STATE_STORE, configure_state_store)                                                                              \
    X(READ_STATE, read_state)                                                                                                    \
    X(WRITE_STATE, write_state)                                                                                                  \
    X(LOCK_STATE, lock_state)                                                                                                    \
    X(UNLOCK_STATE, unlock_state)                                                                                                \
    X(GET_STATES, get_states)                                                                                                    \
    X(DELETE_STATE, delete_state)
#endif
#define CODEC_CALL_DECLARED(id, name) extern const struct codec_call VERSIONED(call_##name);
CODEC_CALLS(CODEC_CALL_DECLARED)
#undef CODEC_CALL_DECLARED

/* codec_parts.c: messages that stand in many others. */
#define filter_value VERSIONED(filter_value)
#define filter_identity VERSIONED(filter_identity)
#define filter_capabilities VERSIONED(filter_capabilities)
#define filter_server_capabilities VERSIONED(filter_server_capabilities)
#define filter_deferred VERSIONED(filter_deferred)
#define filter_raw_state VERSIONED(filter_raw_state)
#define filter_time VERSIONED(filter_time)
#define filter_paths VERSIONED(filter_paths)
#define filter_diagnostics VERSIONED(filter_diagnostics)
#define diagnostics_read VERSIONED(diagnostics_read)
#define diagnostics_write VERSIONED(diagnostics_write)
void filter_value(struct coding *c, const char *field, PB(DynamicValue) * *wire, const struct value **plain,
                  const struct type *t);
/* Left out if the type has no identity schema. */
void filter_identity(struct coding *c, const char *field, PB(ResourceIdentityData) * *wire, const struct value **plain,
                     struct str type_name);
void filter_capabilities(struct coding *c, PB(ClientCapabilities) * *wire, struct client_capabilities *plain);
void filter_server_capabilities(struct coding *c, PB(ServerCapabilities) * *wire, struct server_capabilities *plain);
void filter_deferred(struct coding *c, PB(Deferred) * *wire, enum deferred_reason *plain);
void filter_raw_state(struct coding *c, PB(RawState) * *wire, struct raw_state *plain);
void filter_time(struct coding *c, PB(Timestamp) * *wire, bool *has, int64_t *seconds, int32_t *nanos);
void filter_paths(struct coding *c, size_t *n_wire, PB(AttributePath) * **wire, const struct path **plain, size_t *n_plain);
/*
 * The diagnostics of a response. Reading adds them to the coding's; writing sends the answer's, followed by those about fields of
 * this message that did not fit, so this must be the last filter of a response.
 */
void filter_diagnostics(struct coding *c, size_t *n_wire, PB(Diagnostic) * **wire);
/* Appends to `ret`, and copies the texts. */
void diagnostics_read(size_t n, PB(Diagnostic) *const *wire, struct diags *ret);
/* Writes both lists (either may be NULL). The messages live in the scratch arena and point to the texts of the lists. */
void diagnostics_write(struct arena *scratch, const struct diags *first, const struct diags *then, size_t *ret_n,
                       PB(Diagnostic) * **ret);

/* codec_schema.c and codec_schema_write.c: see struct codec. */
#define codec_decode_schema VERSIONED(codec_decode_schema)
#define codec_encode_schema VERSIONED(codec_encode_schema)
#define codec_encode_identities VERSIONED(codec_encode_identities)
#define codec_encode_functions VERSIONED(codec_encode_functions)
const struct provider_schema *codec_decode_schema(struct arena *a, struct str schema, struct str identities, struct str provider,
                                                  struct diags *diags);
bool codec_encode_schema(struct buf *out, const struct provider_schema *schema, struct diags *diags);
bool codec_encode_identities(struct buf *out, const struct provider_schema *schema, struct diags *diags);
bool codec_encode_functions(struct buf *out, const struct provider_schema *schema, struct diags *diags);
#endif
