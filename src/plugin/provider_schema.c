/*
 * The provider's schema: fetched once per process, or given by a caller that has it already.
 */
#include "base/lock.h"
#include "plugin/provider_private.h"

static enum provider_status fetch(struct provider *p, struct arena *a, const struct grpc_call_options *o, struct diags *diags,
                                  struct schema_bytes *ret)
{
    *ret = (struct schema_bytes){.protocol = p->codec->protocol, .schema = STR_EMPTY, .identities = STR_EMPTY};
    enum provider_status status = provider_call_bytes(p, a, RPC_SCHEMA, STR_EMPTY, o, diags, &ret->schema);
    if (status == PROVIDER_UNSUPPORTED) {
        struct str name = provider_name(p);
        diags_fail(diags, "Provider has no schema",
                   "\"" STR_FMT "\" does not answer " STR_FMT ": it is not a Terraform provider.", STR_ARG(name),
                   STR_ARG(p->codec->calls[RPC_SCHEMA]->name));
        return PROVIDER_BROKEN;
    }
    if (status != PROVIDER_OK)
        return status;
    status = provider_call_bytes(p, a, RPC_IDENTITY_SCHEMAS, STR_EMPTY, o, diags, &ret->identities);
    return status == PROVIDER_UNSUPPORTED ? PROVIDER_OK : status; /* the provider is older than identities, and has none */
}

static const struct provider_schema *decode(struct provider *p, const struct schema_bytes *bytes, struct diags *diags)
{
    struct arena *a = arena_new(p->arena, 0);
    const struct provider_schema *schema = p->codec->decode_schema(a, bytes->schema, bytes->identities, provider_name(p), diags);
    if (!schema)
        arena_free(a);
    return schema;
}

/* With the lock held. */
static const struct provider_schema *load(struct provider *p, const struct grpc_call_options *o, struct diags *diags,
                                          enum provider_status *reterr_status)
{
    if (p->schema)
        return p->schema;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct schema_bytes bytes;
    enum provider_status status = fetch(p, scratch, o, diags, &bytes);
    if (status == PROVIDER_OK) {
        p->asked = true;
        p->schema = decode(p, &bytes, diags);
    }
    if (!p->schema)
        *reterr_status = status == PROVIDER_OK ? PROVIDER_BROKEN : status;
    return p->schema;
}

/* With the lock held. The response is not used, but the provider needs the call. */
static enum provider_status ask_once(struct provider *p, const struct grpc_call_options *o, struct diags *diags)
{
    if (p->asked || p->schema->capabilities.get_provider_schema_optional)
        return PROVIDER_OK;
    struct arena *scratch ARENA_AUTO = arena_new(NULL, 0);
    struct str ignored;
    enum provider_status status = provider_call_bytes(p, scratch, RPC_SCHEMA, STR_EMPTY, o, diags, &ignored);
    if (status == PROVIDER_UNSUPPORTED)
        status = PROVIDER_OK;
    p->asked = status == PROVIDER_OK;
    return status;
}

const struct provider_schema *provider_schema_for_call(struct provider *p, const struct grpc_call_options *o, struct diags *diags,
                                                       enum provider_status *reterr_status)
{
    mutex_lock(&p->lock);
    const struct provider_schema *schema = load(p, o, diags, reterr_status);
    if (schema) {
        enum provider_status status = ask_once(p, o, diags);
        if (status != PROVIDER_OK) {
            *reterr_status = status;
            schema = NULL;
        }
    }
    mutex_unlock(&p->lock);
    return schema;
}

const struct provider_schema *provider_schema(struct provider *p, const struct grpc_call_options *o, struct diags *diags)
{
    enum provider_status ignored;
    mutex_lock(&p->lock);
    const struct provider_schema *schema = load(p, o, diags, &ignored);
    mutex_unlock(&p->lock);
    return schema;
}

void provider_use_schema(struct provider *p, const struct provider_schema *schema)
{
    mutex_lock(&p->lock);
    p->schema = schema;
    mutex_unlock(&p->lock);
}

bool provider_fetch_schema_bytes(struct provider *p, struct arena *a, const struct grpc_call_options *o, struct diags *diags,
                                 struct schema_bytes *ret)
{
    struct schema_bytes bytes;
    mutex_lock(&p->lock);
    bool ok = fetch(p, a, o, diags, &bytes) == PROVIDER_OK;
    p->asked |= ok;
    mutex_unlock(&p->lock);
    if (ok)
        *ret = bytes;
    return ok;
}
