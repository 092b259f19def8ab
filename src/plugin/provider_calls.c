/*
 * One function per unary call, all of one shape: write the request, call, read the response. The request's bytes and the
 * response's live in an arena of the call's own; only what was decoded goes to the caller's.
 */
#include "plugin/provider_private.h"

static enum provider_status call_with(struct provider *p, struct arena *a, enum rpc rpc, const struct provider_schema *schema,
                                      const void *request, const struct grpc_call_options *options, struct diags *diags,
                                      void *ret)
{
    struct coding c = provider_coding(p, rpc, a, schema, diags);
    struct buf bytes BUF_AUTO = BUF_INIT(CODEC_MAX_MESSAGE);
    if (!coding_write_request(&c, request, &bytes))
        return PROVIDER_BROKEN;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str response;
    enum provider_status status = provider_call_bytes(p, scratch, rpc, buf_str(&bytes), options, diags, &response);
    if (status != PROVIDER_OK)
        return status;
    return coding_read_response(&c, response, ret) ? PROVIDER_OK : PROVIDER_BROKEN;
}

static enum provider_status call(struct provider *p, struct arena *a, enum rpc rpc, const void *request,
                                 const struct grpc_call_options *options, struct diags *diags, void *ret)
{
    if (!p->codec->calls[rpc])
        return PROVIDER_UNSUPPORTED; /* by the whole protocol */
    enum provider_status status = PROVIDER_BROKEN;
    const struct provider_schema *schema = provider_schema_for_call(p, options, diags, &status);
    return schema ? call_with(p, a, rpc, schema, request, options, diags, ret) : status;
}

/* Before the schema is known, and perhaps instead of it. */
enum provider_status provider_metadata(struct provider *p, struct arena *a, const struct grpc_call_options *options,
                                       struct diags *diags, struct metadata_response *ret)
{
    return call_with(p, a, RPC_METADATA, NULL, NULL, options, diags, ret);
}

enum provider_status provider_stop(struct provider *p, const struct grpc_call_options *options, struct diags *diags)
{
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct stop_response response;
    enum provider_status status = call_with(p, scratch, RPC_STOP, NULL, NULL, options, diags, &response);
    if (status == PROVIDER_OK && response.error.n > 0) {
        struct str name = provider_name(p);
        diags_fail(diags, "Provider cannot stop", "provider \"" STR_FMT "\" was asked to stop and answered: " STR_FMT,
                   STR_ARG(name), STR_ARG(response.error));
    }
    return status;
}

#define CALL(id, name, request_type, response_type)                                                                              \
    PROVIDER_CALL(name, request_type, response_type)                                                                             \
    {                                                                                                                            \
        return call(p, a, id, request, options, diags, ret);                                                                     \
    }
#define CALL_EMPTY(id, name, request_type)                                                                                       \
    PROVIDER_CALL_EMPTY(name, request_type)                                                                                      \
    {                                                                                                                            \
        return call(p, a, id, request, options, diags, NULL);                                                                    \
    }

CALL(RPC_VALIDATE_PROVIDER, validate_provider, validate_provider_request, validate_provider_response)
CALL_EMPTY(RPC_VALIDATE_RESOURCE, validate_resource, validate_request)
CALL_EMPTY(RPC_VALIDATE_DATA, validate_data, validate_request)
CALL_EMPTY(RPC_VALIDATE_EPHEMERAL, validate_ephemeral, validate_request)
CALL_EMPTY(RPC_VALIDATE_LIST, validate_list, validate_list_request)
CALL_EMPTY(RPC_VALIDATE_ACTION, validate_action, validate_request)
CALL_EMPTY(RPC_CONFIGURE, configure, configure_request)
CALL(RPC_UPGRADE_STATE, upgrade_state, upgrade_state_request, upgrade_state_response)
CALL(RPC_UPGRADE_IDENTITY, upgrade_identity, upgrade_identity_request, upgrade_identity_response)
CALL(RPC_READ, read, read_request, read_response)
CALL(RPC_PLAN, plan, plan_request, plan_response)
CALL(RPC_APPLY, apply, apply_request, apply_response)
CALL(RPC_IMPORT, import, import_request, import_response)
CALL(RPC_MOVE, move, move_request, move_response)
CALL(RPC_GENERATE_CONFIG, generate_config, generate_config_request, generate_config_response)
CALL(RPC_READ_DATA, read_data, read_data_request, read_data_response)
CALL(RPC_OPEN_EPHEMERAL, open_ephemeral, open_ephemeral_request, open_ephemeral_response)
CALL(RPC_RENEW_EPHEMERAL, renew_ephemeral, renew_ephemeral_request, renew_ephemeral_response)
CALL_EMPTY(RPC_CLOSE_EPHEMERAL, close_ephemeral, close_ephemeral_request)
CALL(RPC_CALL_FUNCTION, call_function, call_function_request, call_function_response)
CALL(RPC_PLAN_ACTION, plan_action, plan_action_request, plan_action_response)
CALL_EMPTY(RPC_VALIDATE_STATE_STORE, validate_state_store, validate_request)
CALL(RPC_CONFIGURE_STATE_STORE, configure_state_store, configure_state_store_request, configure_state_store_response)
CALL(RPC_LOCK_STATE, lock_state, state_store_request, lock_state_response)
CALL_EMPTY(RPC_UNLOCK_STATE, unlock_state, state_store_request)
CALL(RPC_GET_STATES, get_states, state_store_request, get_states_response)
CALL_EMPTY(RPC_DELETE_STATE, delete_state, state_store_request)
