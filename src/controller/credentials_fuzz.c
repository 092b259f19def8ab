/* Any text as credentials: the result must be an object of arguments that the provider has. */
#include "controller/credentials.h"

#include "base/must.h"
#include "schema/schema_json.h"

#include <stddef.h>
#include <stdint.h>

static const char document[] =
    "{\"format_version\":\"1.0\",\"provider_schemas\":{\"test\":{\"provider\":{\"version\":0,\"block\":{\"attributes\":{"
    "\"access_key\":{\"type\":\"string\",\"optional\":true},\"secret_key\":{\"type\":\"string\",\"optional\":true},"
    "\"token\":{\"type\":\"string\",\"optional\":true},\"client_id\":{\"type\":\"string\",\"optional\":true}}}},"
    "\"resource_schemas\":{}}}}";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena *a ARENA_AUTO = arena_new(NULL, 0);
    struct diags diags;
    diags_init(&diags, a);
    const struct json *json = json_parse_lenient(a, (struct str){document, sizeof document - 1});
    const struct provider_schema *schema = schema_read_document(a, json, STR_EMPTY, NULL, &diags);
    const struct json *got;
    must_hold(schema != NULL);
    if (!credentials_read(a, schema->provider->block, STR("test"), (struct str){(const char *)data, size}, &diags, &got))
        return 0;
    for (size_t i = 0; i < got->object.n; i++)
        must_hold(schema_block_attr(schema->provider->block, got->object.members[i].key) != NULL);
    return 0;
}
