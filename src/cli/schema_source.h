/*
 * Loads a provider's schema: from a file in the form of `terraform providers schema -json`, from a provider that is running
 * already (TF_REATTACH_PROVIDERS), from the cache, or from the binary.
 */
#pragma once

#include "cli/app.h"
#include "schema/schema.h"

struct schema_request {
    const char *provider;   /* source address, path of a binary, or path of a .json file */
    const char *constraint; /* version constraint; NULL: any */
    const char *address;    /* the provider in a .json file; NULL: the only one */
    bool no_cache;
    int64_t timeout_ns; /* limit for the provider's start; 0: the default */
};

struct schema_source {
    const struct provider_schema *schema;
    struct str address; /* HOST/NAMESPACE/TYPE */
    struct str version; /* empty: unknown */
    struct str path;    /* file or binary; empty: attached to a running provider */
    bool cached;
};

/* The schema is in the app's arena. */
bool schema_source_load_file(struct app *app, const char *path, const char *address, struct schema_source *ret);
bool schema_source_load(struct app *app, const struct schema_request *request, struct schema_source *ret);
