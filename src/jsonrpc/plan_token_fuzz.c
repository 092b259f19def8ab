/*
 * Decodes any bytes as the content of a plan string with a valid checksum: decoding must never crash, and a decoded plan must
 * stay the same when it is sealed, unsealed and decoded again.
 */
#include "jsonrpc/plan_token.h"

#include "base/must.h"
#include "schema/schema_json.h"

#include <stdlib.h>

enum { LIMIT = 64 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] =
    "{\"format_version\":\"1.0\",\"provider_schemas\":{\"fuzz\":{\"resource_schemas\":{\"t\":{\"version\":0,\"block\":{"
    "\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"any\":{\"type\":\"dynamic\",\"optional\":true},"
    "\"size\":{\"type\":\"number\",\"optional\":true},\"tags\":{\"type\":[\"map\",\"string\"],\"optional\":true}},"
    "\"block_types\":{\"rule\":{\"nesting_mode\":\"set\",\"block\":{\"attributes\":{\"port\":{\"type\":\"number\",\"optional\":"
    "true"
    "}}}}}}}},\"resource_identity_schemas\":{\"t\":{\"version\":0,\"attributes\":{\"id\":{\"type\":\"string\","
    "\"required_for_import\":true}}}}}}}";

static const struct provider_schema *read_schema(struct arena *a)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct json *j = json_parse(a, STR(schema_text), "schema", &diags);
    const struct provider_schema *s = j ? schema_read_document(a, j, STR_EMPTY, NULL, &diags) : NULL;
    if (!s)
        abort();
    return s;
}

/* Makes a string with this content. */
static struct rpc_sealed_plan seal(struct arena *a, const struct rpc_plan_key *key, const struct provider_schema *schema,
                                   const struct resource *r, const struct plan *plan)
{
    struct diags diags;
    diags_init(&diags, a);
    struct buf text BUF_AUTO = BUF_INIT(LIMIT);
    struct rpc_plan_header header = {.handle = 1, .sequence = 1, .complete = plan != NULL, .type = r->type};
    struct rpc_sealed_plan sealed;
    must_hold(rpc_plan_seal(&text, key, &header, schema, r, plan, &diags));
    must_hold(rpc_plan_unseal(a, key, buf_str(&text), &sealed));
    return sealed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, LIMIT);
    struct rpc_plan_key key PLAN_KEY_AUTO;
    struct rpc_sealed_plan sealed, again;
    struct plan plan, same;
    rpc_plan_key_make(&key);
    struct str bytes = {(const char *)data, size};
    must_hold(!rpc_plan_unseal(a, &key, bytes, &sealed));
    const struct provider_schema *schema = read_schema(a);
    struct resource r = {
        .type = STR("t"), .schema = map_get(&schema->resources, STR("t")), .identity = map_get(&schema->identities, STR("t"))};
    sealed = seal(a, &key, schema, &r, NULL);
    sealed.body = bytes;
    if (!rpc_plan_decode(a, &key, &sealed, schema, &r, &plan))
        return 0;
    again = seal(a, &key, schema, &r, &plan);
    must_hold(rpc_plan_decode(a, &key, &again, schema, &r, &same));
    must_hold(str_eq(seal(a, &key, schema, &r, &same).body, again.body));
    return 0;
}
