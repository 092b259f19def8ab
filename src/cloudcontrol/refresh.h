/*
 * What the service returned, brought into the form in which Terraform knew it, so that a refresh shows what changed and nothing
 * else.
 *
 * Where both mean the same (compare.h), the prior value stays: order of arrays, wording of JSON texts and times, an empty list
 * that the service left out. Where they differ, unordered arrays keep the order of before for what was there before: elements
 * pair by equality, those that changed by their Key, what is new comes last, in order. An ordered array keeps
 * the service's order.
 *
 * Also from before: what the service never gives back (write-only), what it has no notion of (id, timeouts); and a value that is
 * the attribute's default, which services tend to leave out. A default of the schema stands for a property that is absent. An
 * object that the service left out stays if there is nothing in it that has to be returned; but an empty one only if nothing
 * appeared beside it: {allow = {}} that became {block = {}} did change.
 */
#pragma once

#include "translate/node.h"

/* `prior` and `read` are known objects of root's type; `prior` may be NULL: nothing was before. */
const struct value *cc_refreshed(struct arena *a, const struct cc_node *root, const struct value *prior,
                                 const struct value *read);

/* Without anything from before, for data sources and lists: unordered arrays in a fixed order, and nothing else changed. */
const struct value *cc_in_fixed_order(struct arena *a, const struct cc_node *root, const struct value *read);

/*
 * Likewise in strict mode, where the rule of awscc holds (docs/awscc-rules.md 2.5): a list whose elements all have a Key is
 * sorted by that, whatever its order means, and not looked into; everything else is left as it came. As awscc does it, before
 * the document is read: so also in what becomes a JSON text. As deep as the document, which was parsed.
 */
const struct json *cc_json_sorted_by_key(struct arena *a, const struct json *document);
