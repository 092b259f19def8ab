/*
 * References between the objects of a run: where an argument has the value of another object's attribute, its name can stand
 * there instead.
 *
 * A link table (src/links) is asked first: the first rule whose target has an object with that value wins. Without a rule only
 * values that can be nothing else are taken: ARNs, ids of a cloud (vpc-0a1b2c3d), UUIDs, addresses. An ARN may stand inside a
 * longer text. What fits two objects is left as it is, and told. Numbers, truth values and words are never linked. With several
 * regions an object's own counts before others; a name that another region has is no reference.
 *
 * References make no circle: of one the edge is dropped that closes it, in the order of the list.
 */
#pragma once

#include "hcl/hcl.h"
#include "import/rows.h"
#include "import/worklist.h"
#include "links/links.h"

struct references;

/* Finds them all. The objects have their names. `table` may be NULL; `rows` say which services have no regions. */
struct references *references_find(struct arena *a, const struct worklist *w, const struct link_table *table,
                                   const struct rows *rows);

/* What stands for the text at this path of the object with this number; NULL: the text itself. */
const struct hcl_expr *references_expr(const struct references *r, struct arena *a, size_t item, struct path at, struct str text);

/* Addresses of the objects that this one refers to, sorted. */
struct str_list {
    const struct str *v;
    size_t n;
};
struct str_list references_of(const struct references *r, struct arena *a, size_t item);
/* Why something was left as it is: a line each, empty: nothing was. */
struct str references_doubts(const struct references *r, struct arena *a, size_t item);

/* An ARN, an id of a cloud, a UUID or an address. */
bool references_unmistakable(struct str s);

size_t references_count(const struct references *r); /* pairs of objects */
