/*
 * Discovers the objects of an account. For each type of the provider the sources are tried in this order; the first one that
 * supports the type and answers is used:
 *
 *   1. the provider's own listing (ListResource)
 *   2. a plural data source that a row declares
 *   3. an API that a row declares, Cloud Control among them
 *   4. a plural data source with the type's plural name and `ids`: a guess, so it may fail
 *
 * Declared rules recognise objects that the cloud itself owns; these are counted and left out, unless requested.
 */
#pragma once

#include "import/api.h"
#include "import/read.h"

struct discovery {
    const struct provider_schema *schema;
    const struct rows *rows;
    struct api *api;   /* NULL: rows with a service are not used */
    struct str region; /* region.h; if not empty, types of services without regions are left out */
    bool include_owned;
    bool (*wants)(void *ctx, struct str type);
    void *ctx;
    size_t n_types; /* result: how many types were listed, or should have been */
    /* private */
    struct map *found; /* row name -> its findings */
};

/*
 * Fills the list and records in it what was left out and which types could not be listed, or not even asked for. False:
 * interrupted, with a diagnostic.
 */
bool discover(struct discovery *d, const struct import_reading *r, struct worklist *w, struct diags *diags);

/* The objects of one type that a source found, in their own arena. */
struct findings {
    struct arena *arena;
    VEC(struct import_item) items;
    VEC(struct left_out) owned;
    bool unknown; /* the source cannot be used: its list requires an argument, or an emulator does not know the call */
};
struct source {
    bool (*serves)(const struct discovery *d, struct str type);
    enum engine_status (*find)(struct discovery *d, struct engine *e, struct str type, struct findings *ret);
    bool guess;
};
extern const struct source source_list, source_data, source_rows, source_guess;
