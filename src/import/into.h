/*
 * Into code that exists: a folder of .tf files and its state. What the state has is left out of a run, and can be referred to by
 * its address; an object that fits a resource block which the state does not have is imported to that address; names that the
 * folder has are not given again.
 */
#pragma once

#include "import/settings.h"
#include "import/worklist.h"
#include "state/state.h"

struct into {
    struct settings settings;
    const struct state *state; /* an empty one when there is none */
    struct map managed;        /* TYPE.NAME of objects without module, count and for_each -> const struct state_instance * */
    struct map ids;            /* "TYPE ID" of all managed objects -> address, const struct str * */
};

bool into_read(struct into *in, struct arena *a, const char *folder, struct diags *diags);

/* Before objects are read: those that the state has are skipped, as far as their ids tell; the folder's names are reserved. */
void into_leave_managed(const struct into *in, struct worklist *w);
/* After it: likewise for the others, objects that fit a block get its name, and what is managed can be referred to. */
void into_place(const struct into *in, struct worklist *w, const struct provider_schema *schema);
