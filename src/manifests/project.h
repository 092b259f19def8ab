/*
 * terrane.yaml in a folder of manifests: what is to be said once for all of them.
 *
 *     providers:
 *     - source: hashicorp/aws        an address, or the path of a binary
 *       version: "~> 5.0"            any, if it is not said
 *       config: aws.yaml             lies over the configuration that comes with Terrane
 *     scheduler: grpc                or cli
 *     poll: 10m                      between two looks at an object that is as it should be
 *     prune: false                   delete objects whose manifests are removed
 *
 * Relative paths begin at the folder.
 */
#pragma once

#include "base/json.h"

enum { PROJECT_MAX_FILE = 1 << 20, PROJECT_MAX_PROVIDERS = 64 };

struct project_provider {
    struct str source, version; /* version: empty when any will do */
    const char *config;         /* NULL: none */
};

struct project {
    struct project_provider *providers;
    size_t n_providers;
    struct str scheduler; /* empty: not said */
    int64_t poll_ns;      /* 0: not said */
    bool prune;
};

/* Where there is no such file nothing is said. */
bool project_read(struct arena *a, const char *folder, struct diags *diags, struct project *ret);
