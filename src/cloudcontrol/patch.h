/*
 * JSON Patch (RFC 6902) as Cloud Control takes it for updates: making one from two values, applying any.
 *
 * A patch is made with what the schema knows:
 *
 * - An array whose order means nothing, or whose elements have a Key, is replaced as a whole, and only if it really differs. Of
 *   an ordered array as few elements as possible are removed, added or changed; an element as a whole if that is shorter.
 * - JSON texts, which have no schema inside, are replaced as a whole.
 * - Read-only properties are never in it. Create-only ones never change, but in elements of arrays; they are in it only as parts
 *   of an object that is written anew.
 * - Cloud Control cannot read what is write-only, so such properties are sent again with every update, as additions, unless they
 *   are create-only; but a patch with nothing else in it is empty. An array with such parts is sent as a whole.
 * - A property that the service may have left out (empty, or its default) is set by "add", which is right in both cases, and
 *   never removed by name: its object is replaced.
 * - What is unknown stays as it is.
 *
 * The same two values give the same bytes: first what is removed, from the back, so that no removal moves what another one
 * means; then the rest, from the front. Before a patch is returned it is applied to what it was made for, and the result
 * compared.
 */
#pragma once

#include "translate/node.h"

/* For one ordered array: beyond so many pairs of elements it is replaced as a whole. */
enum { CC_PATCH_MAX_PAIRS = 1 << 20 };

/* An array of operations, empty when there is nothing to do; NULL and a diagnostic when a JSON text is none. Both are known
 * objects. */
const struct json *cc_patch(struct arena *a, const struct cc_node *root, const struct value *prior, const struct value *planned,
                            struct diags *diags);

/*
 * All six operations, in order. NULL and a diagnostic that names the operation that failed; the document is never changed.
 *
 * Bounded: so many operations, and so much work, in members and elements looked at, moved or copied.
 */
enum { CC_PATCH_MAX_OPS = 10000, CC_PATCH_MAX_WORK = 8 << 20 };
const struct json *cc_patch_apply(struct arena *a, const struct json *document, const struct json *patch, struct diags *diags);

/* By steps; steps that are numbers by their value. A removal comes before those that it is greater than. */
int cc_pointer_cmp(struct str a, struct str b);
/* Operations in the order described above; those that are no removals stay in the order they have. */
const struct json *cc_patch_sort(struct arena *a, const struct json *patch);
