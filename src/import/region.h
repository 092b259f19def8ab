/*
 * Several regions in one run. The first is the provider's own; each other one has a provider that is configured for it, which the
 * configuration calls by an alias: provider = aws.us_east_1. An object's region is empty where it is the provider's own, as that
 * of services is which have no regions.
 */
#pragma once

#include "base/json.h"

struct pool_provider;

struct import_region {
    struct str name, alias;
    const struct json *config;
    struct pool_provider *provider;
};

/* All but the first. */
struct import_regions {
    const struct import_region *v;
    size_t n;
};

/* NULL: it is the provider's own. */
const struct import_region *import_region_named(const struct import_regions *all, struct str name);
/* The provider's configuration with another region. `config` may be NULL. */
const struct json *import_config_in(struct arena *a, const struct json *config, struct str region);
