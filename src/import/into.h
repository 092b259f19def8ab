/*
 * Into code that exists: a folder of .tf files and its state. What the state has is left out of a run, and can be referred to by
 * its address; an object that fits a resource block which the state does not have is imported to that address; names that the
 * folder has are not given again.
 */
#pragma once

#include "import/region.h"
#include "import/settings.h"
#include "import/worklist.h"
#include "state/state.h"

struct into {
    struct settings settings;
    const struct state *state; /* an empty one when there is none */
    struct map managed;        /* TYPE.NAME of objects without module, count and for_each -> const struct state_instance * */
    struct map ids;            /* all managed objects by worklist_key(), with their id -> address, const struct str * */
};

/* The provider that is imported from. */
struct into_provider {
    struct str address;
    const struct schema_block *schema; /* of its configuration */
    struct import_region *regions;     /* each gets the alias that the folder has for it */
    size_t n_regions;
};
/* False with a diagnostic: a file cannot be read, or the folder has no provider block for a region. */
bool into_read(struct into *in, struct arena *a, const char *folder, const struct into_provider *provider, struct diags *diags);

/* Before objects are read: those that the state has are skipped, as far as their ids tell; the folder's names are reserved. */
void into_leave_managed(const struct into *in, struct worklist *w);
/* After it: likewise for the others, objects that fit a block get its name, and what is managed can be referred to. */
void into_place(const struct into *in, struct worklist *w, const struct provider_schema *schema);
