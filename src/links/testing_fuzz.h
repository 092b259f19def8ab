/* For the fuzz targets: a small provider. */
#pragma once

#include "schema/schema_json.h"

static const char fuzz_document[] =
    "{\"format_version\":\"1.0\",\"provider_schemas\":{\"r/t/x\":{\"resource_schemas\":{\"x_net\":{\"version\":0,\"block\":{"
    "\"attributes\":{\"id\":{\"type\":\"string\",\"computed\":true},\"roots\":{\"type\":[\"list\",[\"object\",{\"id\":\"string\"}"
    "]],"
    "\"computed\":true}}}},\"x_app\":{\"version\":0,\"block\":{\"attributes\":{\"net_id\":{\"type\":\"string\",\"optional\":true}"
    ","
    "\"net_ids\":{\"type\":[\"set\",\"string\"],\"optional\":true},\"env\":{\"type\":[\"map\",\"string\"],\"optional\":true},"
    "\"any\":{\"type\":\"dynamic\",\"optional\":true},\"conf\":{\"nested_type\":{\"nesting_mode\":\"map\",\"attributes\":{"
    "\"net\":{"
    "\"type\":\"string\",\"optional\":true}}},\"optional\":true}},\"block_types\":{\"one\":{\"nesting_mode\":\"list\",\"max_"
    "items\":1,"
    "\"block\":{\"attributes\":{\"net\":{\"type\":\"string\",\"optional\":true}}}},\"rule\":{\"nesting_mode\":\"set\",\"block\":{"
    "\"attributes\":{\"net\":{\"type\":\"string\",\"optional\":true}}}}}}}}}}}";

static inline const struct provider_schema *fuzz_schema(struct arena *a)
{
    struct diags diags;
    diags_init(&diags, a);
    return schema_read_document(a, json_parse(a, STR(fuzz_document), "schema", &diags), STR_EMPTY, NULL, &diags);
}
