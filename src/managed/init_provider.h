/*
 * initProvider: values for the creation only.
 *
 * Before the external object exists, the desired state is forProvider plus initProvider where forProvider has no value.
 * Afterwards it is the same, but changes of values that only initProvider has are ignored, like Terraform's ignore_changes.
 */
#pragma once

#include "crossplane/model.h"

/* `over` wins where both have a value. Objects and maps are merged by key, lists by position; extra elements are appended. */
const struct json *managed_merge(struct arena *a, const struct json *over, const struct json *under);

/* A path is an array of steps in the engine's format: ["rule", 0, "port"]. */
struct managed_ignored {
    const struct json **v;
    size_t n, cap;
};

/*
 * The paths of values that are in `initial` and not in `wanted` (both parameters), sorted as text. With a tree, the paths are
 * Terraform's: without an index for blocks that are not lists there, and never into a set, whose elements have no index.
 */
void managed_ignored(struct arena *a, const struct xp_tree *tree, const struct json *wanted, const struct json *initial,
                     struct managed_ignored *ret);

/*
 * The ignored paths of an object, including secrets that only initProvider refers to. Call it only for objects that exist: a new
 * one ignores nothing.
 */
bool managed_ignored_of(struct arena *a, const struct xp_kind *k, const struct json *object, struct diags *diags,
                        struct managed_ignored *ret);

/* rule[0].port, tags["Name"] */
struct str managed_ignored_text(struct arena *a, const struct json *steps);
