/*
 * Installing a provider: which version, from where, is it the right one, and into its place.
 *
 *     sources of the CLI configuration ─► newest version that fits ─► its package ─► checked ─►
 * FOLDER/HOST/NAMESPACE/TYPE/VERSION/OS_ARCH
 *
 * As Terraform does it: versions of all sources that may have the provider are one pool, and the package comes from the first
 * source that has the version; without a provider_installation block the implied folders come first, and the registry is not
 * asked for a provider that they have. A lock file decides the version, and packages that it does not know are refused.
 *
 * A package appears at once (rename) or not at all; processes may install the same at the same time. What was in its place stays.
 */
#pragma once

#include "install/lock_file.h"
#include "install/origin.h"

struct install_context {
    struct find_context find; /* with the CLI configuration */
    struct fetcher fetcher;
    struct credentials credentials;
};

struct install_wanted {
    struct str provider;   /* a source address */
    struct str constraint; /* empty: any */
    struct str platform;   /* "linux_amd64" */
    const char
        *folder; /* NULL: the plugin cache, else find.installed; a provider that a mirror on this machine has stays there */
    struct lock_file *lock; /* NULL: none. Changed on success */
    bool upgrade;           /* to the newest that fits, whatever is installed or locked */
};

struct installed {
    struct provider_address address;
    struct str version, platform;
    struct str folder; /* of the package */
    struct str hash;   /* h1: */
    struct str from;   /* for people: where it came from; empty: it was installed already */
    struct str key;    /* id of the key that signed it; empty: nobody did */
};

bool provider_install(const struct install_context *c, struct arena *a, const struct install_wanted *wanted, struct diags *diags,
                      struct installed *ret);
