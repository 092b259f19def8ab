#include "protocol/schema_bytes.h"

#include "protocol/codec.h"

const struct provider_schema *schema_bytes_decode(struct arena *a, const struct schema_bytes *bytes, struct diags *diags)
{
    if (bytes->protocol != 5 && bytes->protocol != 6) {
        diags_fail(diags, "Unknown protocol", "cannot read a schema of protocol %d: expected 5 or 6.", bytes->protocol);
        return NULL;
    }
    return codec_for(bytes->protocol)->decode_schema(a, bytes->schema, bytes->identities, STR("(cached)"), diags);
}
