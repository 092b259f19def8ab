/* The libarchive functions, for tests that write archives. */
#pragma once

#include "base/testing.h"
#include "lazy/lazy_archive.h"

static inline const struct lazy_archive *testing_archive(struct arena *a)
{
    struct diags diags;
    diags_init(&diags, a);
    const struct lazy_archive *lib = lazy_archive(&diags);
    testing_no_errors(&diags);
    return lib;
}
