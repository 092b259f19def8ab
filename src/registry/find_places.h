/* The folders that find.c searches, their order, and the setting that each comes from. */
#pragma once

#include "base/vec.h"
#include "registry/find.h"

struct search_place {
    enum provider_place kind;
    struct str folder;                 /* absolute, or relative to a relative working folder */
    struct str origin;                 /* for messages: the setting that names it */
    const struct install_method *rule; /* its include and exclude apply; NULL: every provider is allowed */
    bool named;                        /* named by the user, so it must exist */
    unsigned rank;                     /* places of the same rank are one group */
};

struct search_places {
    struct search_place *v;
    size_t n, cap;
};

struct search_places search_places(const struct find_context *c, struct arena *a);

/* The plugin cache, absolute; empty: there is none. */
struct str search_plugin_cache(const struct find_context *c, struct arena *a);

/* Do include and exclude allow the provider? */
bool search_place_allows(const struct search_place *place, const struct provider_address *address);

/*
 * The same for an address that the user asked for: if it has no host, it is enough that one of the default registries is allowed.
 */
bool search_place_allows_wanted(const struct search_place *place, const struct provider_address *wanted);

/* `path`, relative to the working folder. */
struct str search_absolute(const struct find_context *c, struct arena *a, struct str path);
