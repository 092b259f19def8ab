/* Findings of rows, kept for the rows that depend on them. Private to source_rows.c and discover.c. */
#pragma once

#include "base/lock.h"
#include "import/source.h"

struct row_object {
    struct picked at;
    struct str owner; /* why the cloud owns it; empty: it does not */
};

struct row_found {
    struct arena *arena;
    pthread_mutex_t lock; /* guards all members below until `done`; then they are immutable */
    bool done;
    struct {
        struct row_object *v;
        size_t n, cap;
    } objects;
    struct map owned_ids;
    bool unknown;     /* an emulator that does not know the call */
    struct str error; /* the first error; objects that were found nevertheless are kept */
};
