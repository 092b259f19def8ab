/* Where in a resource type's schema a path leads, and which places there are. */
#pragma once

#include "links/links.h"
#include "schema/schema.h"

enum link_place_result {
    PLACE_FOUND,
    PLACE_NO_NAME,  /* `step` is not there; `closest` may be meant */
    PLACE_NO_MARKS, /* what stands behind `step` is not so: `closest` is what may stand there */
    PLACE_NO_VALUE, /* an object: it has values in it and is none */
};

struct link_place {
    struct str path;          /* [] after a list, a set or a block that may stand several times, {} after a map */
    const struct type *shape; /* of what the last name stands for */
    const struct type *type;  /* of the values in it: text, number, truth value, or anything */
    bool settable, sensitive;
    struct str step, closest; /* see above; closest may be empty */
};

enum link_place_mode {
    PLACE_OF_TABLE,   /* marks may be left out, but those that are there must be right */
    PLACE_OF_EXAMPLE, /* a map's key stands in the path as a name, unless the map has {} already; other marks are not looked at */
};

enum link_place_result link_place_find(struct arena *a, const struct schema_block *block, struct str path,
                                       enum link_place_mode mode, struct link_place *ret);

/* Every place that has values, with its path without marks, which lives until the function returns; false ends it. */
typedef bool link_place_fn(void *ctx, const struct link_place *place);
bool link_places(const struct schema_block *block, link_place_fn *fn, void *ctx);
