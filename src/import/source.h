/*
 * Where the objects of an account are found, when nobody names them. For each type of the provider the sources are asked in this
 * order; the first one that serves the type and answers counts:
 *
 *   1. the provider's own listing (ListResource)
 *   2. a plural data source that a row declares
 *   3. an API that a row declares, Cloud Control among them
 *   4. a plural data source that is called like the type and has `ids`: a guess, so that it may fail
 *
 * What the cloud itself owns is told apart by declared rules; it is counted and left out, unless it is wanted.
 */
#pragma once

#include "import/api.h"
#include "import/read.h"

struct discovery {
    const struct provider_schema *schema;
    const struct rows *rows;
    struct api *api;   /* NULL: rows with a service are not asked */
    struct str region; /* region.h; not empty: types of services without regions are left out */
    bool include_owned;
    bool (*wants)(void *ctx, struct str type);
    void *ctx;
    size_t n_types; /* result: how many were listed, or should have been */
    /* private */
    struct map *found; /* name of a row -> what it found */
};

/* Fills the list, and tells in it what was left out and which types could not be listed. False: interrupted, with a diagnostic.
 */
bool discover(struct discovery *d, const struct import_reading *r, struct worklist *w, struct diags *diags);

/* What a source found of one type, in an arena of its own. */
struct findings {
    struct arena *arena;
    VEC(struct import_item) items;
    VEC(struct left_out) owned;
    bool unknown; /* it cannot be asked: a list that needs an argument, an emulator that does not know the call */
};
struct source {
    bool (*serves)(const struct discovery *d, struct str type);
    enum engine_status (*find)(struct discovery *d, struct engine *e, struct str type, struct findings *ret);
    bool guess;
};
extern const struct source source_list, source_data, source_rows, source_guess;
