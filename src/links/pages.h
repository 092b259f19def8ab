/* The pages of a provider's documentation that are about resources. */
#pragma once

#include "base/diag.h"
#include "base/vec.h"

enum {
    PAGES_MAX = 1 << 16,
    PAGES_MAX_DEPTH = 8,       /* folders in folders */
    PAGES_MAX_BYTES = 8 << 20, /* of one page */
};

struct link_pages {
    const char **v; /* paths, sorted */
    size_t n, cap;
};

/*
 * `folder` may be the provider's repository or its documentation: pages are looked for in docs/resources, website/docs/r,
 * resources and r in it, in this order, else in the folder itself; in all folders below. A page is a file that ends in .md or
 * .markdown. False and a diagnostic when there is none.
 */
bool link_pages_find(struct arena *a, const char *folder, struct diags *diags, struct link_pages *ret);
