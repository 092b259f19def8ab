/*
 * The three-way merge of `kubectl apply` for kinds that are not built in (JSON merge patch): fields of the manifest win, fields
 * that only the previous manifest had are removed, and all others stay, such as fields that other writers set.
 *
 * A list is replaced as a whole. null in a manifest removes the field.
 */
#pragma once

#include "base/json.h"

/* Merges `before` (the manifest applied last; NULL: none), `wanted` (the manifest now) and `current` (the object). */
const struct json *merge_three_way(struct arena *a, const struct json *before, const struct json *wanted,
                                   const struct json *current);

/* The value of the annotation that keeps a manifest for the next merge, as kubectl writes it: members sorted by name. */
#define MERGE_LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"
struct str merge_last_applied(struct arena *a, const struct json *manifest);
