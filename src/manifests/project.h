/*
 * terrane.yaml in a folder of manifests: what is to be said once for all of them.
 *
 *     providers:
 *     - source: hashicorp/aws        an address, or the path of a binary
 *       version: "~> 5.0"            any, if it is not said
 *       config: aws.yaml             lies over the configuration that comes with Terrane
 *     scheduler: grpc                or cli
 *     poll: 10m                      between two looks at an object that is as it should be
 *     auto_install: false            install providers that are missing
 *     prune: false                   delete objects whose manifests are removed
 *
 * Relative paths begin at the folder.
 */
#pragma once

#include "base/json.h"

enum { PROJECT_MAX_FILE = 1 << 20, PROJECT_MAX_PROVIDERS = 64, PROJECT_MAX_PATTERNS = 4096 };

struct project_provider {
    struct str source, version; /* version: empty when any will do */
    const char *config;         /* NULL: none */
};

struct project_texts {
    const char **v;
    size_t n;
};

struct project {
    struct project_provider *providers;
    size_t n_providers;
    struct str scheduler; /* empty: not said */
    int64_t poll_ns;      /* 0: not said */
    bool prune, auto_install;
    struct project_texts only, activate; /* of a controller: patterns of kinds */
};

/* Where there is no such file nothing is said. */
bool project_read(struct arena *a, const char *folder, struct diags *diags, struct project *ret);
/*
 * The settings of `terrane controller`: the same form, with `only` and `activate` (lists of patterns) and without `prune` and
 * `auto_install`, in any file. It must exist. Relative paths begin at its folder.
 */
bool project_read_settings(struct arena *a, const char *path, struct diags *diags, struct project *ret);
