/*
 * A provider's schema as it came: both answers, for who keeps them (the cache) or sends them (a pack that has them ready).
 */
#pragma once

#include "base/diag.h"
#include "schema/schema.h"

struct schema_bytes {
    int protocol;
    struct str schema;     /* GetProviderSchema response */
    struct str identities; /* GetResourceIdentitySchemas response; empty: unsupported */
};

/* Decodes them without a provider. The schema owns its memory (arena `a`); the bytes may go afterwards. */
const struct provider_schema *schema_bytes_decode(struct arena *a, const struct schema_bytes *bytes, struct diags *diags);
