/*
 * Finding a provider's binary on this machine: by path, or by source address and version constraint in the places where
 * Terraform and OpenTofu look. In this order; the first group that has a fitting version wins:
 *
 *   1. a path to a binary, taken as it is;
 *   2. dev_overrides of the CLI configuration, whatever the version;
 *   3. the mirror that TERRANE_MIRROR names;
 *   4. all filesystem_mirror blocks together, with their include and exclude; without a provider_installation block the implied
 *      folders together: terraform.d/plugins of the working folder, ~/.terraform.d/plugins, and opentofu/plugins and
 *      terraform/plugins of the XDG data folders;
 *   5. the plugin cache;
 *   6. what `terrane provider install` installed;
 *   7. .terraform/providers of the working folder.
 *
 * Within a group the newest version that the constraint allows wins, wherever it is, as Terraform does it; the order of the
 * mirrors decides only between equal versions. Terraform gives up when that version is there for other platforms only; here
 * the newest for this platform is taken, with a warning. A folder that the user named and that cannot be searched is an error:
 * to go on would mean to choose another version because a disk is missing.
 *
 * Packed mirrors (zip) are unpacked once into Terrane's cache folder. Nothing is downloaded here (src/install does that).
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
    PLACE_INSTALLED, /* by us */
    PLACE_WORKING_DIR,
};
const char *provider_place_name(enum provider_place place);

struct found_provider {
    /* For a bare path: what the folders of a mirror around it say, else TYPE from its file name terraform-provider-TYPE_vVERSION
     * (or the whole name) as hashicorp/TYPE. */
    struct provider_address address;
    struct str version; /* empty: not known (a path, a dev override) */
    enum provider_place place;
    struct str where; /* the folder that was searched */
    struct str path;  /* the binary, or the zip while `packed` */
    bool packed;      /* only from provider_find_all */
};

/* Where to look; all from the environment, injected for tests. */
struct find_context {
    struct log *log;
    const struct cli_config *config; /* NULL: none */
    const char *home;                /* HOME, or NULL */
    const char *working_folder;      /* for .terraform/providers, terraform.d/plugins and all relative paths */
    const char *cache_folder;        /* ours: unpacked zips; NULL: none, and packed providers cannot be used */
    const char *mirror;              /* TERRANE_MIRROR, or NULL */
    const char *plugin_cache;        /* TF_PLUGIN_CACHE_DIR, or NULL */
    const char *installed;           /* where we install to if there is no plugin cache; NULL: nowhere */
    const char *xdg_data_home, *xdg_data_dirs;
    const char *platform; /* "linux_amd64" */
};

/* Does `what` name a file rather than a source address? Then neither the CLI configuration nor any place matters. */
bool provider_is_path(const struct find_context *c, struct arena *a, struct str what);

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
