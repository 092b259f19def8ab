/* Places in a resource type's schema: finds the one a path leads to, and enumerates all of them. */
#pragma once

#include "links/links.h"
#include "schema/schema.h"

enum link_place_result {
    PLACE_FOUND,
    PLACE_NO_NAME,  /* the schema has no `step`; `closest` is the most similar name */
    PLACE_NO_MARKS, /* the marks after `step` are wrong: `closest` has the right ones */
    PLACE_NO_VALUE, /* an object: only the attributes in it have values */
};

struct link_place {
    struct str path;          /* [] after a list, a set or a repeatable block, {} after a map */
    const struct type *shape; /* of what the last name refers to */
    const struct type *type;  /* of the innermost values: string, number, bool, or dynamic */
    bool settable, sensitive;
    struct str step, closest; /* see above; closest may be empty */
};

enum link_place_mode {
    PLACE_OF_TABLE,   /* marks are optional, but must be right if present */
    PLACE_OF_EXAMPLE, /* a map key is a name in the path, unless the map has {}; other marks are ignored */
};

enum link_place_result link_place_find(struct arena *a, const struct schema_block *block, struct str path,
                                       enum link_place_mode mode, struct link_place *ret);

/* Calls `fn` for each place that has values, until it returns false. The path has no marks and is valid only during the call. */
typedef bool link_place_fn(void *ctx, const struct link_place *place);
bool link_places(const struct schema_block *block, link_place_fn *fn, void *ctx);
