/*
 * The sources of providers: a folder (filesystem_mirror), a web server (network_mirror), or the registry of the provider's host
 * (direct). Each can list the versions of a provider, and return the package of a version.
 */
#pragma once

#include "install/credentials.h"
#include "install/fetch.h"
#include "registry/address.h"
#include "registry/find.h"
#include "registry/version.h"

enum { ORIGIN_MAX_VERSIONS = 16384, ORIGIN_MAX_HASHES = 4096 };

struct origin_context {
    struct arena *arena;
    const struct fetcher *fetcher;
    const struct credentials *credentials;
    const struct find_context *find; /* the CLI configuration, the working folder */
    struct diags *diags;
};

struct origin {
    enum install_method_kind kind;
    struct str place;                  /* the folder or URL; for METHOD_DIRECT empty */
    struct str name;                   /* for messages */
    const struct install_method *rule; /* NULL: every provider is allowed */
    bool named;                        /* named by the user: a folder must exist */
};

struct origin_version {
    struct provider_version version;
    struct str text;      /* with three numbers, also where the source lists "1.0": that is what it is asked for */
    struct str protocols; /* "5.0, 6.0"; empty: the source does not say */
    bool speaks;          /* it has a protocol that we speak, or the source does not say */
    const struct origin *from;
};

struct origin_versions {
    struct origin_version *v;
    size_t n, cap;
};

/* Adds the versions of the provider, if the source is allowed for it and has any. */
bool origin_list(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                 struct origin_versions *ret);

enum package_kind { PACKAGE_URL, PACKAGE_ZIP, PACKAGE_FOLDER };

struct origin_package {
    enum package_kind kind;
    struct str place;         /* URL or path */
    struct str token;         /* for the URL; empty: none */
    struct str sha256;        /* of the archive, in hexadecimal; empty: not known, or there are several */
    const struct str *hashes; /* "h1:", "zh:" from the source; for each kind that it has, one must match */
    size_t n_hashes;
    const struct str *signed_zh; /* "zh:" of all files of the release, with a verified signature */
    size_t n_signed;
    struct str key; /* id of the key that signed; empty: not signed */
};

/* *ret_found false, without a diagnostic: the source does not have the version for this platform. */
bool origin_package(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                    const struct origin_version *version, struct str platform, bool *ret_found, struct origin_package *ret);

/* Do include and exclude allow the provider? */
bool origin_allows(const struct origin *s, const struct provider_address *address);
