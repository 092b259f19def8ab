/*
 * Every call of the provider protocol as plain data, independent of the protocol version. Codecs (codec.h) convert these to the
 * bytes of protocol 5 or 6 and back.
 *
 * Diagnostics are not part of the responses: on both sides they are in the `struct diags` of the call.
 *
 * The types of values come from the provider's schema of the type that the call names. A NULL value pointer means "not sent":
 * nothing is on the wire, which differs from a null value. `private` is opaque, is kept byte for byte, and may be secret.
 */
#pragma once

#include "schema/schema.h"
#include "value/flatmap.h"

struct client_capabilities {
    bool deferral_allowed;
    bool write_only_attributes_allowed;
    bool store_planned_private;   /* 6.11 */
    bool computed_blocks_allowed; /* 6.11 */
};

enum deferred_reason {
    DEFERRED_NOT = -1, /* the provider did not defer */
    DEFERRED_UNKNOWN = 0,
    DEFERRED_RESOURCE_CONFIG_UNKNOWN = 1,
    DEFERRED_PROVIDER_CONFIG_UNKNOWN = 2,
    DEFERRED_ABSENT_PREREQ = 3,
};

/* Stored state: JSON text, or the flatmap of states before Terraform 0.12. */
struct raw_state {
    struct str json;
    struct flatmap_entry *flatmap; /* used when json is empty */
    size_t n_flatmap;
};

struct metadata_response {
    struct server_capabilities capabilities;
    struct str *data_sources, *resources, *functions, *ephemerals, *lists, *state_stores, *actions;
    size_t n_data_sources, n_resources, n_functions, n_ephemerals, n_lists, n_state_stores, n_actions;
};

/* ValidateProviderConfig: only protocol 5 has `prepared` (NULL in protocol 6); core ignores it. */
struct validate_provider_request {
    const struct value *config;
};
struct validate_provider_response {
    const struct value *prepared;
};

/* ValidateResourceConfig, ValidateDataResourceConfig, ValidateEphemeralResourceConfig, ValidateActionConfig. */
struct validate_request {
    struct str type_name;
    const struct value *config;
    struct client_capabilities capabilities; /* resources only */
};
struct validate_list_request {
    struct str type_name;
    const struct value *config;
    const struct value *include_resource; /* bool */
    const struct value *limit;            /* number */
};

struct configure_request {
    struct str terraform_version;
    const struct value *config;
    struct client_capabilities capabilities;
};

struct upgrade_state_request {
    struct str type_name;
    int64_t version;
    struct raw_state raw;
};
struct upgrade_state_response {
    const struct value *state;
};

struct upgrade_identity_request {
    struct str type_name;
    int64_t version;
    struct raw_state raw;
};
struct upgrade_identity_response {
    const struct value *identity;
};

struct read_request {
    struct str type_name;
    const struct value *state;
    struct str private;
    const struct value *provider_meta;
    struct client_capabilities capabilities;
    const struct value *identity;
};
struct read_response {
    const struct value *state;
    struct str private;
    enum deferred_reason deferred;
    const struct value *identity;
};

struct plan_request {
    struct str type_name;
    const struct value *prior_state, *proposed_new_state, *config;
    struct str prior_private;
    const struct value *provider_meta;
    struct client_capabilities capabilities;
    const struct value *prior_identity;
    struct str planned_private; /* 6.11 */
};
struct plan_response {
    const struct value *planned_state;
    const struct path *requires_replace;
    size_t n_requires_replace;
    struct str planned_private;
    bool legacy_type_system;
    enum deferred_reason deferred;
    const struct value *planned_identity;
};

struct apply_request {
    struct str type_name;
    const struct value *prior_state, *planned_state, *config;
    struct str planned_private;
    const struct value *provider_meta;
    const struct value *planned_identity;
};
struct apply_response {
    const struct value *new_state; /* may come with error diagnostics: always keep it */
    struct str private;
    bool legacy_type_system;
    const struct value *new_identity;
};

struct import_request {
    struct str type_name;
    struct str id; /* or */
    const struct value *identity;
    struct client_capabilities capabilities;
};
struct imported_resource {
    struct str type_name;
    const struct value *state;
    struct str private;
    const struct value *identity;
};
struct import_response {
    const struct imported_resource *resources;
    size_t n_resources;
    enum deferred_reason deferred;
};

struct move_request {
    struct str source_provider_address, source_type_name;
    int64_t source_schema_version;
    struct raw_state source_state;
    struct str target_type_name;
    struct str source_private;
    struct raw_state source_identity;
    int64_t source_identity_schema_version;
};
struct move_response {
    const struct value *state;
    struct str private;
    const struct value *identity;
};

struct generate_config_request {
    struct str type_name;
    const struct value *state;
};
struct generate_config_response {
    const struct value *config;
};

struct read_data_request {
    struct str type_name;
    const struct value *config;
    const struct value *provider_meta;
    struct client_capabilities capabilities;
};
struct read_data_response {
    const struct value *state;
    enum deferred_reason deferred;
};

/* Ephemeral resources: `has_private` keeps "absent" apart from "empty". */
struct open_ephemeral_request {
    struct str type_name;
    const struct value *config;
    struct client_capabilities capabilities;
};
struct open_ephemeral_response {
    const struct value *result;
    bool has_renew_at, has_private;
    int64_t renew_at_seconds;
    int32_t renew_at_nanos;
    struct str private;
    enum deferred_reason deferred;
};
struct renew_ephemeral_request {
    struct str type_name;
    bool has_private;
    struct str private;
};
struct renew_ephemeral_response {
    bool has_renew_at, has_private;
    int64_t renew_at_seconds;
    int32_t renew_at_nanos;
    struct str private;
};
struct close_ephemeral_request {
    struct str type_name;
    bool has_private;
    struct str private;
};

struct call_function_request {
    struct str name;
    const struct value *const *arguments; /* by the function's parameters, then the variadic one */
    size_t n_arguments;
};
struct call_function_response {
    const struct value *result; /* NULL with an error */
    bool has_error;
    struct str error;
    int64_t error_argument; /* -1: none */
};

struct list_request {
    struct str type_name;
    const struct value *config;
    bool include_resource;
    int64_t limit;
};
/* One object of the stream; its diagnostics belong to it alone. */
struct list_event {
    const struct value *identity;
    struct str display_name;
    const struct value *resource; /* NULL unless include_resource */
    const struct diags *diags;
};

struct plan_action_request {
    struct str type_name;
    const struct value *config;
    struct client_capabilities capabilities;
};
struct plan_action_response {
    enum deferred_reason deferred;
};
struct invoke_action_request {
    struct str type_name;
    const struct value *config;
    struct client_capabilities capabilities;
};
struct action_event {
    bool completed; /* the last event; its diagnostics are added to the call's */
    struct str progress;
};

/* State stores: protocol 6 only. */
struct state_store_request { /* of GetStates, DeleteState, ReadStateBytes, LockState, UnlockState, each with the fields it needs
                              */
    struct str type_name;
    struct str state_id;
    struct str operation; /* LockState */
    struct str lock_id;   /* UnlockState */
};
struct configure_state_store_request {
    struct str type_name;
    const struct value *config;
    int64_t chunk_size; /* that the client proposes */
};
struct configure_state_store_response {
    int64_t chunk_size; /* that both sides will use */
};
/* Whole states, for a server: dispatch splits them into chunks and joins chunks. */
struct read_state_response {
    struct str bytes; /* empty: there is no such state yet */
};
struct write_state_request {
    struct str type_name;
    struct str state_id;
    struct str bytes;
};
struct lock_state_response {
    struct str lock_id;
};
struct get_states_response {
    struct str *state_ids;
    size_t n_state_ids;
};

/*
 * The list of calls with one request and one response. The client's functions (plugin/provider.h), the server's
 * (plugin/provider_server.h) and the tests of all calls are generated from these rows. CALL(ID, name, request, response), where
 * ID is that of enum rpc (codec.h) without RPC_; for EMPTY(ID, name, request) the response has only diagnostics.
 */
#define RPC_CALLS(CALL, EMPTY)                                                                                                   \
    CALL(VALIDATE_PROVIDER, validate_provider, validate_provider_request, validate_provider_response)                            \
    EMPTY(VALIDATE_RESOURCE, validate_resource, validate_request)                                                                \
    EMPTY(VALIDATE_DATA, validate_data, validate_request)                                                                        \
    EMPTY(VALIDATE_EPHEMERAL, validate_ephemeral, validate_request)                                                              \
    EMPTY(VALIDATE_LIST, validate_list, validate_list_request)                                                                   \
    EMPTY(VALIDATE_ACTION, validate_action, validate_request)                                                                    \
    EMPTY(CONFIGURE, configure, configure_request)                                                                               \
    CALL(UPGRADE_STATE, upgrade_state, upgrade_state_request, upgrade_state_response)                                            \
    CALL(UPGRADE_IDENTITY, upgrade_identity, upgrade_identity_request, upgrade_identity_response)                                \
    CALL(READ, read, read_request, read_response)                                                                                \
    CALL(PLAN, plan, plan_request, plan_response)                                                                                \
    CALL(APPLY, apply, apply_request, apply_response)                                                                            \
    CALL(IMPORT, import, import_request, import_response)                                                                        \
    CALL(MOVE, move, move_request, move_response)                                                                                \
    CALL(GENERATE_CONFIG, generate_config, generate_config_request, generate_config_response)                                    \
    CALL(READ_DATA, read_data, read_data_request, read_data_response)                                                            \
    CALL(OPEN_EPHEMERAL, open_ephemeral, open_ephemeral_request, open_ephemeral_response)                                        \
    CALL(RENEW_EPHEMERAL, renew_ephemeral, renew_ephemeral_request, renew_ephemeral_response)                                    \
    EMPTY(CLOSE_EPHEMERAL, close_ephemeral, close_ephemeral_request)                                                             \
    CALL(CALL_FUNCTION, call_function, call_function_request, call_function_response)                                            \
    CALL(PLAN_ACTION, plan_action, plan_action_request, plan_action_response)
/* Protocol 6 only; reading and writing a state are streams and not listed here. */
#define RPC_STATE_STORE_CALLS(CALL, EMPTY)                                                                                       \
    EMPTY(VALIDATE_STATE_STORE, validate_state_store, validate_request)                                                          \
    CALL(CONFIGURE_STATE_STORE, configure_state_store, configure_state_store_request, configure_state_store_response)            \
    CALL(LOCK_STATE, lock_state, state_store_request, lock_state_response)                                                       \
    EMPTY(UNLOCK_STATE, unlock_state, state_store_request)                                                                       \
    CALL(GET_STATES, get_states, state_store_request, get_states_response)                                                       \
    EMPTY(DELETE_STATE, delete_state, state_store_request)
