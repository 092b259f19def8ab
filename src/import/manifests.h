/*
 * The objects of a run as managed resources: manifests for Crossplane and `terrane up`, which adopt the existing objects. Each
 * has the external name of the existing object, and the arguments for which the plan was empty. An argument that the kind can
 * express as a reference becomes one if the target is among the manifests and yields exactly that value.
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
 * Adds files below manifests/cluster and manifests/namespaced: one for each type, with secrets and the provider's configuration
 * in separate files that only their owner can read. Objects whose type cannot be a kind are left out with a warning. False with a
 * diagnostic.
 */
bool import_make_manifests(const struct import_manifests *in, struct import_files *files, struct diags *diags);
