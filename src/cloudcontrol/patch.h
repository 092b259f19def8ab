/*
 * JSON Patch (RFC 6902) for Cloud Control updates: makes a patch from two values, and applies any patch.
 *
 * The schema determines how a patch is made:
 *
 * - An array whose order does not matter, or whose elements have a Key, is replaced as a whole, and only if its meaning differs.
 *   In an ordered array as few elements as possible are removed, added or changed; an element is replaced if that is shorter.
 * - JSON strings, which have no schema inside, are replaced as a whole.
 * - A patch never contains read-only properties. Create-only properties change only in elements of arrays, and appear only as
 *   parts of an object that is replaced.
 * - Cloud Control cannot read write-only properties, so each update sends them again, with "add", unless they are create-only.
 *   A patch with nothing else in it is empty. An array with such parts is sent as a whole.
 * - A property that the service may have omitted (empty, or its default) is set with "add", which works in both cases, and never
 *   removed by name: its object is replaced.
 * - Unknown parts are left alone.
 *
 * The output is deterministic: first removals, from the back, so that none shifts the index of another; then the rest, from the
 * front. Before a patch is returned, it is applied to the prior document and the result is compared.
 */
#pragma once

#include "translate/node.h"

/* An ordered array with more pairs of elements than this is replaced as a whole. */
enum { CC_PATCH_MAX_PAIRS = 1 << 20 };

/* An array of operations, empty if there is nothing to do; NULL and a diagnostic if a JSON string is invalid. Both values are
 * known objects. */
const struct json *cc_patch(struct arena *a, const struct cc_node *root, const struct value *prior, const struct value *planned,
                            struct diags *diags);

/*
 * Applies a patch with any of the six operations, in order. NULL and a diagnostic that names the operation that failed. Never
 * modifies `document`.
 *
 * Limits: the number of operations, and the work: members and elements visited, moved or copied.
 */
enum { CC_PATCH_MAX_OPS = 10000, CC_PATCH_MAX_WORK = 8 << 20 };
const struct json *cc_patch_apply(struct arena *a, const struct json *document, const struct json *patch, struct diags *diags);

/* Compares pointers step by step, numeric steps by value. Removals are sorted in descending order. */
int cc_pointer_cmp(struct str a, struct str b);
/* Sorts operations as described above; operations other than removals keep their order. */
const struct json *cc_patch_sort(struct arena *a, const struct json *patch);
