/*
 * terrane.yaml in a folder of manifests: settings for all of them.
 *
 *     providers:
 *     - source: hashicorp/aws        an address, or the path of a binary
 *       version: "~> 5.0"            default: any
 *       config: aws.yaml             overrides parts of the configuration that comes with Terrane
 *     scheduler: grpc                or cli
 *     poll: 10m                      interval of checking an object that is in sync
 *     auto_install: false            install missing providers
 *     prune: false                   delete objects whose manifests are removed
 *
 * Relative paths are relative to the folder.
 */
#pragma once

#include "base/json.h"

enum { PROJECT_MAX_FILE = 1 << 20, PROJECT_MAX_PROVIDERS = 64, PROJECT_MAX_PATTERNS = 4096 };

struct project_provider {
    struct str source, version; /* version: empty: any */
    const char *config;         /* NULL: none */
};

struct project_texts {
    const char **v;
    size_t n;
};

struct project {
    struct project_provider *providers;
    size_t n_providers;
    struct str scheduler; /* empty: not set */
    int64_t poll_ns;      /* 0: not set */
    bool prune, auto_install;
    struct project_texts only, activate; /* only for a controller: patterns of kinds */
};

/* Without the file, nothing is set. */
bool project_read(struct arena *a, const char *folder, struct diags *diags, struct project *ret);
/*
 * The settings of `terrane controller`, in any file: the same format, with `only` and `activate` (lists of patterns) and without
 * `prune` and `auto_install`. The file must exist. Relative paths are relative to its folder.
 */
bool project_read_settings(struct arena *a, const char *path, struct diags *diags, struct project *ret);
