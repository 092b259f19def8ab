/* The folders that find.c searches: which, in which order, and on whose word. */
#pragma once

#include "base/vec.h"
#include "registry/find.h"

struct search_place {
    enum provider_place kind;
    struct str folder;                 /* absolute, or relative to a relative working folder */
    struct str origin;                 /* for messages: who named it */
    const struct install_method *rule; /* its include and exclude hold; NULL: everything may come from there */
    bool named;                        /* by the user: it must be there */
    unsigned rank;                     /* places of one rank are searched as if they were one */
};

struct search_places {
    struct search_place *v;
    size_t n, cap;
};

struct search_places search_places(const struct find_context *c, struct arena *a);

/* The plugin cache, absolute; empty: there is none. */
struct str search_plugin_cache(const struct find_context *c, struct arena *a);

/* May the provider come from there? */
bool search_place_allows(const struct search_place *place, const struct provider_address *address);

/* The same for an address that was asked for: without a host, it is enough if one of the default registries may. */
bool search_place_allows_wanted(const struct search_place *place, const struct provider_address *wanted);

/* `path` as seen from the working folder. */
struct str search_absolute(const struct find_context *c, struct arena *a, struct str path);
