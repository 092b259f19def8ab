/*
 * The three-way merge of `kubectl apply` for kinds that are not built in (JSON merge patch): what the manifest says wins, what
 * the manifest said before and says no more goes, and everything else stays: fields that others wrote.
 *
 * Lists are one value: a list in the manifest replaces the whole one. null in a manifest takes the field away.
 */
#pragma once

#include "base/json.h"

/* Of `before` (the manifest that was applied last; NULL: none), `wanted` (the manifest now) and `current` (the object). */
const struct json *merge_three_way(struct arena *a, const struct json *before, const struct json *wanted,
                                   const struct json *current);

/* The text of the annotation that keeps a manifest for the next merge, as kubectl writes it: members in order of their names. */
#define MERGE_LAST_APPLIED "kubectl.kubernetes.io/last-applied-configuration"
struct str merge_last_applied(struct arena *a, const struct json *manifest);
