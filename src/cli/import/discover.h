/* terrane import without a list of objects: finds out what exists in the account. */
#pragma once

#include "cli/args.h"
#include "cli/work.h"
#include "import/source.h"

struct discover_wish {
    struct option_texts rows; /* files that add to the shipped one */
    struct option_texts only, exclude, list, id, exclude_id, tags;
    bool include_owned;
    int64_t rate; /* calls per second for each service; 0: as the rows say */
};

/* Loads the rows for the provider, the shipped and the user's. False with a diagnostic. */
bool import_load_rows(struct app *app, struct str address, const struct discover_wish *wish, struct rows *ret);
/* Sets the rates of the rows, or `rate`; services at custom endpoints are only limited with `rate`. */
void import_set_rates(struct rates *rates, const struct rows *rows, const struct api *api, int64_t rate);
/* Do the options select this type, or this object? */
bool import_wants_type(const struct discover_wish *wish, struct str type);
bool import_wants_key(const struct discover_wish *wish, struct str key);
/* Removes objects without one of the tags (KEY or KEY=PATTERN) from the list, and counts them; call it after all were read. */
void import_drop_untagged(const struct discover_wish *wish, struct worklist *w);
