/*
 * initProvider: values for the creation only.
 *
 * Before an object exists it wants forProvider and, where that says nothing, initProvider. Afterwards it still does, but changes
 * of what only initProvider says are ignored, as Terraform's ignore_changes has it.
 */
#pragma once

#include "crossplane/model.h"

/* `over` wins wherever it says something; objects and maps are merged by key, lists by position, further elements are appended.
 */
const struct json *managed_merge(struct arena *a, const struct json *over, const struct json *under);

/* A path is an array of steps as the engine takes it: ["rule", 0, "port"]. */
struct managed_ignored {
    const struct json **v;
    size_t n, cap;
};

/*
 * The paths of what is in `initial` and not in `wanted` (both parameters), sorted as text. With a tree the paths are Terraform's:
 * no index at blocks of which there is no list; and none leads into a set, whose elements have no place.
 */
void managed_ignored(struct arena *a, const struct xp_tree *tree, const struct json *wanted, const struct json *initial,
                     struct managed_ignored *ret);

/* Of an object, with the secrets that only initProvider refers to. Only for objects that exist: a new one ignores nothing. */
bool managed_ignored_of(struct arena *a, const struct xp_kind *k, const struct json *object, struct diags *diags,
                        struct managed_ignored *ret);

/* rule[0].port, tags["Name"] */
struct str managed_ignored_text(struct arena *a, const struct json *steps);
