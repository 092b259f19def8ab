/*
 * Finds a provider's binary on this machine: by path, or by source address and version constraint in the places where Terraform
 * and OpenTofu look. They are searched in this order, and the first group with a suitable version wins:
 *
 *   1. a path to a binary, used as it is;
 *   2. dev_overrides of the CLI configuration, without regard to the version;
 *   3. the mirror that TERRANE_MIRROR names;
 *   4. all filesystem_mirror blocks together, with their include and exclude; without a provider_installation block the implied
 *      folders together: terraform.d/plugins of the working folder, ~/.terraform.d/plugins, and opentofu/plugins and
 *      terraform/plugins of the XDG data folders;
 *   5. the plugin cache;
 *   6. what `terrane provider install` installed;
 *   7. .terraform/providers of the working folder.
 *
 * As in Terraform, the newest version in the group that the constraint allows wins; the order of the mirrors decides only between
 * equal versions. If that version exists only for other platforms, Terraform fails; we use the newest for this platform, with a
 * warning. It is an error if a folder that the user named cannot be searched: going on could choose another version just because
 * a disk is missing.
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
    PLACE_INSTALLED, /* by `terrane provider install` */
    PLACE_WORKING_DIR,
};
const char *provider_place_name(enum provider_place place);

struct found_provider {
    /*
     * For a path: from the mirror's folders above it, else hashicorp/TYPE with TYPE from the file name
     * terraform-provider-TYPE_vVERSION (or the whole file name).
     */
    struct provider_address address;
    struct str version; /* empty: not known (a path, a dev override) */
    enum provider_place place;
    struct str where; /* the folder that was searched */
    struct str path;  /* the binary, or the zip if `packed` */
    bool packed;      /* only from provider_find_all */
};

/* Where to look. Everything comes from the environment, and is passed in so that tests can set it. */
struct find_context {
    struct log *log;
    const struct cli_config *config; /* NULL: none */
    const char *home;                /* HOME, or NULL */
    const char *working_folder;      /* for .terraform/providers, terraform.d/plugins and all relative paths */
    const char *cache_folder;        /* our cache, for unpacked zips; NULL: none, and packed providers cannot be used */
    const char *mirror;              /* TERRANE_MIRROR, or NULL */
    const char *plugin_cache;        /* TF_PLUGIN_CACHE_DIR, or NULL */
    const char *installed;           /* where we install if there is no plugin cache; NULL: nowhere */
    const char *xdg_data_home, *xdg_data_dirs;
    const char *platform; /* "linux_amd64" */
};

/* Does `what` name a file, not a source address? Then the CLI configuration and the places are not used. */
bool provider_is_path(const struct find_context *c, struct arena *a, struct str what);

/*
 * `what`: "aws", "hashicorp/aws", "registry.terraform.io/hashicorp/aws", or a path (has a slash and is a file, or starts with /
 * or .). `constraint`: "", "5.100.0", ">= 5.0, < 6.0", "~> 5.1". The result is an existing, executable binary. If the provider is
 * not found, the error lists every place that was searched, what is there instead, and what to do.
 */
bool provider_find(const struct find_context *c, struct arena *a, struct str what, struct str constraint, struct diags *diags,
                   struct found_provider *ret);

/*
 * All providers on this machine, for `terrane provider list`: by address, then version descending, then place. Places that cannot
 * be searched are warnings.
 */
struct found_providers {
    struct found_provider *v;
    size_t n, cap;
};
bool provider_find_all(const struct find_context *c, struct arena *a, struct diags *diags, struct found_providers *ret);
