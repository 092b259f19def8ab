/* What rows found, kept for those that belong to it. Private to source_rows.c and discover.c. */
#pragma once

#include "base/lock.h"
#include "import/source.h"

struct row_object {
    struct picked at;
    struct str owner; /* why it is the cloud's own; empty: it is not */
};

struct row_found {
    struct arena *arena;
    pthread_mutex_t lock; /* of all below, until it is done; then nothing changes */
    bool done;
    struct {
        struct row_object *v;
        size_t n, cap;
    } objects;
    struct map owned_ids;
    bool unknown;     /* an emulator does not know the call */
    struct str error; /* the first; what else was found is there */
};
