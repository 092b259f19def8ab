/*
 * Converts what the service returned to the form of the prior state, so that a refresh shows real changes and nothing else.
 *
 * Where both mean the same (compare.h), the prior value stays: the order of arrays, the formatting of JSON and times, an empty
 * list that the service omitted. Where they differ, an unordered array keeps its prior order: elements are paired by equality,
 * changed ones by their Key, and new ones come last, in a fixed order. An ordered array keeps the service's order.
 *
 * These also stay as in the prior state: write-only values, attributes unknown to the service (id, timeouts), and values equal to
 * the attribute's default, which services tend to omit. A schema default replaces an absent property. An object that the service
 * omitted stays if nothing in it must be returned; but an empty object stays only if nothing new appeared next to it: if
 * {allow = {}} became {block = {}}, that is a change.
 */
#pragma once

#include "translate/node.h"

/* `prior` and `read` are known objects of root's type; `prior` is NULL if there is no prior state. */
const struct value *cc_refreshed(struct arena *a, const struct cc_node *root, const struct value *prior,
                                 const struct value *read);

/* Without prior state, for data sources and lists: puts unordered arrays in a fixed order and changes nothing else. */
const struct value *cc_in_fixed_order(struct arena *a, const struct cc_node *root, const struct value *read);

/*
 * The same for strict mode, by the rule of awscc (docs/awscc-rules.md 2.5): a list whose elements all have a Key is sorted by
 * it, even if its order matters, and its elements are left alone; nothing else changes. As in awscc this happens before the
 * document is decoded, so it also affects what becomes a JSON string. Recurses as deep as the document; the parser limits that.
 */
const struct json *cc_json_sorted_by_key(struct arena *a, const struct json *document);
