/*
 * Lists the packages in a mirror folder. It may have two layouts, also mixed:
 *
 *   unpacked   HOST/NAMESPACE/TYPE/VERSION/OS_ARCH/           (a folder)
 *   packed     HOST/NAMESPACE/TYPE/terraform-provider-TYPE_VERSION_OS_ARCH.zip
 *
 * As in Terraform, names are compared in lower case, names that cannot be an address or a version are skipped, and symbolic links
 * are followed for the mirror itself, an OS_ARCH folder and a zip, but not on the levels between.
 */
#pragma once

#include "registry/address.h"
#include "registry/version.h"

enum { MIRROR_MAX_NAMES = 1 << 16, MIRROR_MAX_PACKAGES = 1 << 17 };

struct provider_package {
    struct provider_address address;
    struct provider_version version;
    struct str platform; /* "linux_amd64" */
    struct str path;     /* the folder, or the zip if `packed` */
    bool packed;
};

struct provider_packages {
    struct provider_package *v;
    size_t n, cap;
    struct str ignored_link; /* a symbolic link that was not followed; empty: none */
};

/* Why a mirror could not be searched. */
struct mirror_problem {
    int error;       /* errno */
    struct str path; /* the mirror, or a folder in it */
};

/*
 * Adds all packages (only those of `only`, unless that is NULL) to `ret`, sorted by path. A provider's unpacked packages come
 * first, as versions start with a digit.
 */
bool mirror_scan(struct arena *a, const char *folder, const struct provider_address *only, struct provider_packages *ret,
                 struct mirror_problem *ret_problem);
