/*
 * References between the objects of a run: where an argument has the value of another object's attribute, a reference replaces
 * it.
 *
 * A link table (src/links) is consulted first: the first rule whose target has an object with that value wins. Without a rule,
 * only unmistakable values are linked: ARNs, cloud ids (vpc-0a1b2c3d), UUIDs, addresses. An ARN may be part of a longer string. A
 * value that fits two objects stays as it is and is reported. Numbers, booleans and words are never linked. With several regions,
 * objects of the same region come first; a name that exists in another region is no reference.
 *
 * References form no cycles: of a cycle, the edge that closes it, in the order of the list, is dropped.
 */
#pragma once

#include "hcl/hcl.h"
#include "import/rows.h"
#include "import/worklist.h"
#include "links/links.h"

struct references;

/* Finds all references. The objects must have names. `table` may be NULL; `rows` tell which services have no regions. */
struct references *references_find(struct arena *a, const struct worklist *w, const struct link_table *table,
                                   const struct rows *rows);

/* The expression for the string at this path of object number `item`; NULL: the string itself. */
const struct hcl_expr *references_expr(const struct references *r, struct arena *a, size_t item, struct path at, struct str text);

/* Addresses of the objects that this one refers to, sorted. */
struct str_list {
    const struct str *v;
    size_t n;
};
struct str_list references_of(const struct references *r, struct arena *a, size_t item);
/* Why values were not linked: a line for each; empty: nothing to report. */
struct str references_doubts(const struct references *r, struct arena *a, size_t item);

/* An ARN, an id of a cloud, a UUID or an address. */
bool references_unmistakable(struct str s);

size_t references_count(const struct references *r); /* pairs of objects */
