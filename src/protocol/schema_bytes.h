/*
 * A provider's schema as encoded bytes: both responses, for the cache, which stores them, and for packs, which have them ready to
 * send.
 */
#pragma once

#include "base/diag.h"
#include "schema/schema.h"

struct schema_bytes {
    int protocol;
    struct str schema;     /* GetProviderSchema response */
    struct str identities; /* GetResourceIdentitySchemas response; empty: unsupported */
};

/* Decodes them without a provider. The schema lives in arena `a` and does not refer to the bytes. */
const struct provider_schema *schema_bytes_decode(struct arena *a, const struct schema_bytes *bytes, struct diags *diags);
