/*
 * Several regions in one run. The first is the provider's own; each other region has a provider configured for it, with an alias
 * in the configuration: provider = aws.us_east_1. An object's region is empty if it is the provider's own, or if its service has
 * no regions.
 */
#pragma once

#include "base/json.h"

struct pool_provider;

struct import_region {
    struct str name, alias;
    const struct json *config;
    struct pool_provider *provider;
};

/* All regions but the first. */
struct import_regions {
    const struct import_region *v;
    size_t n;
};

/* NULL: the provider's own region. */
const struct import_region *import_region_named(const struct import_regions *all, struct str name);
/* The provider's configuration, changed to another region. `config` may be NULL. */
const struct json *import_config_in(struct arena *a, const struct json *config, struct str region);
