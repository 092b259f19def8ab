/*
 * The objects of a run as managed resources: manifests for Crossplane and for `terrane up`, which adopts them. Each has the
 * external name that leads to what exists, and the arguments with which the plan was empty; an argument that the kind can say by
 * a reference is one, where the other object is among the manifests and gives that very value.
 */
#pragma once

#include "crossplane/config.h"
#include "import/files.h"

struct import_manifests {
    struct arena *arena;
    const struct worklist *list;
    const struct provider_schema *schema;
    const struct xp_config *config;
    struct str provider_name;           /* aws */
    const struct json *provider_config; /* NULL: empty */
    struct import_regions regions;
};

/*
 * Adds files below manifests/cluster and manifests/namespaced: one a type, secrets and the provider's configuration in files of
 * their own that only their owner reads. Objects whose type cannot be a kind are left out with a warning. False with a
 * diagnostic.
 */
bool import_make_manifests(const struct import_manifests *in, struct import_files *files, struct diags *diags);
