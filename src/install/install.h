/*
 * Installs a provider: chooses the version and the source, checks the package, and puts it into its folder.
 *
 *     sources of the CLI configuration ─► newest version that fits ─► its package ─► checked ─►
 *         FOLDER/HOST/NAMESPACE/TYPE/VERSION/OS_ARCH
 *
 * As in Terraform: the versions of all sources that are allowed for the provider are merged, and the package comes from the first
 * source that has the chosen version; without a provider_installation block the implied folders come first, and the registry is
 * not asked for a provider that they have. A lock file decides the version, and packages whose hash it does not have are refused.
 *
 * A package appears at once (rename) or not at all; several processes may install the same package at the same time. An installed
 * package is never replaced.
 */
#pragma once

#include "install/lock_file.h"
#include "install/origin.h"

struct install_context {
    struct find_context find; /* has the CLI configuration */
    struct fetcher fetcher;
    struct credentials credentials;
};

struct install_wanted {
    struct str provider;   /* a source address */
    struct str constraint; /* empty: any */
    struct str platform;   /* "linux_amd64" */
    const char *folder;    /* NULL: the plugin cache, else find.installed; a provider in a local mirror is then used from there */
    struct lock_file *lock; /* NULL: none. Changed on success */
    bool upgrade;           /* install the newest allowed version, whatever is installed or locked */
};

struct installed {
    struct provider_address address;
    struct str version, platform;
    struct str folder; /* of the package */
    struct str hash;   /* h1: */
    struct str from;   /* for messages: where it came from; empty: it was installed already */
    struct str key;    /* id of the key that signed it; empty: not signed */
};

bool provider_install(const struct install_context *c, struct arena *a, const struct install_wanted *wanted, struct diags *diags,
                      struct installed *ret);
