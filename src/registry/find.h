/*
 * Finding a provider's binary on this machine: by path, or by source address and version constraint in the places where
 * Terraform and OpenTofu look, in this order (the first place that has a fitting version wins; within a place, the highest):
 *
 *   a path to a binary; dev_overrides of the CLI configuration; filesystem_mirror blocks in their order, with include and
 *   exclude (or, without a provider_installation block, the implied local folders); the plugin cache; .terraform/providers
 *   of the working directory; the mirror that TERRANE_MIRROR names (before all mirrors).
 *
 * Packed mirrors (zip) are unpacked once into Terrane's cache folder. Nothing is downloaded.
 */
#pragma once

#include "base/log.h"
#include "registry/address.h"
#include "registry/cli_config.h"
#include "registry/version.h"

enum provider_place {
    PLACE_PATH,
    PLACE_DEV_OVERRIDE,
    PLACE_MIRROR, /* of TERRANE_MIRROR, the CLI configuration, or implied */
    PLACE_PLUGIN_CACHE,
    PLACE_WORKING_DIR,
};
const char *provider_place_name(enum provider_place place);

struct found_provider {
    struct provider_address address; /* for a bare path: what its file name says */
    struct str version;              /* empty: not known (a path, a dev override) */
    enum provider_place place;
    struct str where; /* the folder that was searched */
    struct str path;  /* the binary, or the zip while `packed` */
    bool packed;
};

/* Where to look; all from the environment, injected for tests. */
struct find_context {
    struct log *log;
    const struct cli_config *config;
    const char *home;           /* HOME */
    const char *working_folder; /* for .terraform/providers and terraform.d/plugins */
    const char *cache_folder;   /* ours: unpacked zips */
    const char *mirror;         /* TERRANE_MIRROR, or NULL */
    const char *plugin_cache;   /* TF_PLUGIN_CACHE_DIR, or NULL */
    const char *xdg_data_home, *xdg_data_dirs;
    const char *platform; /* "linux_amd64" */
};

/*
 * `what`: "aws", "hashicorp/aws", "registry.terraform.io/hashicorp/aws", or a path (has a slash and is a file, or starts with
 * / or .). `constraint`: "", "5.100.0", ">= 5.0, < 6.0", "~> 5.1". The result is a binary that exists and may be run. An absent
 * provider is an error that lists every place that was looked at, what was there instead, and what to do.
 */
bool provider_find(const struct find_context *c, struct arena *a, struct str what, struct str constraint, struct diags *diags,
                   struct found_provider *ret);

/* All that can be found, for `terrane provider list`: by address, then version descending, then place. Damaged places are
 * warnings. */
struct found_providers {
    struct found_provider *v;
    size_t n, cap;
};
bool provider_find_all(const struct find_context *c, struct arena *a, struct diags *diags, struct found_providers *ret);
