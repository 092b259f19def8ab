/*
 * Import into existing code: a folder of .tf files and its state. Objects that the state has are not imported, but can be
 * referred to by address. An object that matches a resource block which the state does not have is imported to that block's
 * address. Names that the folder uses are not used again.
 */
#pragma once

#include "import/region.h"
#include "import/settings.h"
#include "import/worklist.h"
#include "state/state.h"

/* An object that the folder's state has. */
struct into_object {
    struct str type, id, address, region; /* `region`: as of import_item */
    const struct state_instance *instance;
};

struct into {
    struct settings settings;
    const struct state *state;       /* an empty state if the folder has none */
    struct map managed;              /* TYPE.NAME of objects without module, count or for_each -> const struct state_instance * */
    struct map ids;                  /* worklist_key() with the id, of all managed objects -> address, const struct str * */
    VEC(struct into_object) objects; /* all managed objects */
};

/* The provider to import from. */
struct into_provider {
    struct str address;
    const struct schema_block *schema; /* of its configuration */
    struct import_region *regions;     /* each gets the alias that the folder uses for it */
    size_t n_regions;
};
/* False with a diagnostic: a file cannot be read, or the folder has no provider block for a region. */
bool into_read(struct into *in, struct arena *a, const char *folder, const struct into_provider *provider, struct diags *diags);

/* Skips an object that is managed at that address. */
void into_leave_out(struct worklist *w, struct import_item *item, struct str address);
/* Call before objects are read: skips those that the state has, as far as ids tell, and reserves the folder's names. */
void into_leave_managed(const struct into *in, struct worklist *w);
/*
 * Call after objects were read: skips further managed ones, gives objects that match a block its name, and makes managed objects
 * available for references.
 */
void into_place(const struct into *in, struct worklist *w, const struct provider_schema *schema);
