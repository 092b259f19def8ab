/*
 * Where a provider can come from: a folder (filesystem_mirror), a web server with the same (network_mirror), or the registry of
 * the provider's host (direct). Each answers two questions: which versions are there, and what is the package of this one?
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
    const struct install_method *rule; /* NULL: everything may come from there */
    bool named;                        /* by the user: a folder must be there */
};

struct origin_version {
    struct provider_version version;
    struct str text;      /* as written there */
    struct str protocols; /* "5.0, 6.0"; empty: not told */
    bool speaks;          /* a protocol of ours, or it does not tell */
    const struct origin *from;
};

struct origin_versions {
    struct origin_version *v;
    size_t n, cap;
};

/* Adds the versions of the provider, if the source may be asked for it and has any. */
bool origin_list(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                 struct origin_versions *ret);

enum package_kind { PACKAGE_URL, PACKAGE_ZIP, PACKAGE_FOLDER };

struct origin_package {
    enum package_kind kind;
    struct str place;         /* URL or path */
    struct str token;         /* for the URL; empty: none */
    struct str sha256;        /* of the archive, in hexadecimal; empty: not told, or several that may fit */
    const struct str *hashes; /* "h1:", "zh:": that the source tells of this package; one of each kind must fit */
    size_t n_hashes;
    const struct str *signed_zh; /* "zh:": of the packages for all platforms, under a signature that was checked */
    size_t n_signed;
    struct str key; /* id of the key that signed; empty: nobody did */
};

/* *ret_found false, without a diagnostic: the version is not there for this platform. */
bool origin_package(const struct origin_context *c, const struct origin *s, const struct provider_address *address,
                    const struct origin_version *version, struct str platform, bool *ret_found, struct origin_package *ret);

/* May the provider come from there? */
bool origin_allows(const struct origin *s, const struct provider_address *address);
