/*
 * Where a command gets a provider's schema from: a file in the form of `terraform providers schema -json`, a provider that
 * runs already (TF_REATTACH_PROVIDERS), the cache, or the binary itself.
 */
#pragma once

#include "cli/app.h"
#include "schema/schema.h"

struct schema_request {
    const char *provider;   /* source address, path of a binary, or path of a .json file */
    const char *constraint; /* of the version; NULL: any */
    const char *address;    /* which provider of a .json file; NULL: the only one */
    bool no_cache;
    int64_t timeout_ns; /* for the provider to start; 0: the usual */
};

struct schema_source {
    const struct provider_schema *schema;
    struct str address; /* HOST/NAMESPACE/TYPE */
    struct str version; /* empty: not known */
    struct str path;    /* file or binary; empty: attached */
    bool cached;
};

/* The schema lives in the app's arena. */
bool schema_source_load_file(struct app *app, const char *path, const char *address, struct schema_source *ret);
bool schema_source_load(struct app *app, const struct schema_request *request, struct schema_source *ret);
