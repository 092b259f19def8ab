/* Finds the pages about resources in a provider's documentation. */
#pragma once

#include "base/diag.h"
#include "base/vec.h"

enum {
    PAGES_MAX = 1 << 16,
    PAGES_MAX_DEPTH = 8,       /* of nested folders */
    PAGES_MAX_BYTES = 8 << 20, /* of one page */
};

struct link_pages {
    const char **v; /* paths, sorted */
    size_t n, cap;
};

/*
 * `folder` is the provider's repository or its documentation. Searches the first of docs/resources, website/docs/r, resources and
 * r that exists in it, else the folder itself, with all subfolders, for files that end in .md or .markdown. False and a
 * diagnostic if there are none.
 */
bool link_pages_find(struct arena *a, const char *folder, struct diags *diags, struct link_pages *ret);
