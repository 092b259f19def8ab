/*
 * One function per unary call, all alike: write the request, call, read the response. The bytes of request and response live in a
 * temporary arena; only what was decoded goes to the caller's.
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
        return PROVIDER_UNSUPPORTED; /* not in this protocol at all */
    enum provider_status status = PROVIDER_BROKEN;
    const struct provider_schema *schema = provider_schema_for_call(p, options, diags, &status);
    return schema ? call_with(p, a, rpc, schema, request, options, diags, ret) : status;
}

/* Does not need the schema: may be called before it is known, or instead of it. */
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
        return call(p, a, RPC_##id, request, options, diags, ret);                                                               \
    }
#define CALL_EMPTY(id, name, request_type)                                                                                       \
    PROVIDER_CALL_EMPTY(name, request_type)                                                                                      \
    {                                                                                                                            \
        return call(p, a, RPC_##id, request, options, diags, NULL);                                                              \
    }

RPC_CALLS(CALL, CALL_EMPTY)
RPC_STATE_STORE_CALLS(CALL, CALL_EMPTY)
