/* terrane import without a list of objects: the account is asked what there is. */
#pragma once

#include "cli/args.h"
#include "cli/work.h"
#include "import/source.h"

struct discover_wish {
    struct option_texts rows; /* files over the shipped one */
    struct option_texts only, exclude, list, id, exclude_id, tags;
    bool include_owned;
    int64_t rate; /* calls a second of each service; 0: as the rows say */
};

/* The rows of the provider: shipped and the user's. False with a diagnostic. */
bool import_load_rows(struct app *app, struct str address, const struct discover_wish *wish, struct rows *ret);
/* Rates of the rows, or the one that is wished; services at addresses of their own are not spared unless it is wished. */
void import_set_rates(struct rates *rates, const struct rows *rows, const struct api *api, int64_t rate);
/* Is a type, or an object, wanted at all? */
bool import_wants_type(const struct discover_wish *wish, struct str type);
bool import_wants_key(const struct discover_wish *wish, struct str key);
/* Objects without one of these tags (KEY or KEY=PATTERN) are taken out of the list, and counted; after all was read. */
void import_drop_untagged(const struct discover_wish *wish, struct worklist *w);
