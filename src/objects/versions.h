/*
 * Manifests of an older version of their kind's API. Providers made by Upjet serve several, and convert; here one is served. What
 * differs between theirs is that lists of at most one element became that element, so that is what is done.
 */
#pragma once

#include "controller/kinds.h"

/* The manifest as the version that is served has it; the same one when it is of that version, or of none that is older. */
const struct json *versions_upgrade(struct kinds *kinds, const struct kind *kind, struct arena *a, const struct json *manifest);

/* As Kubernetes orders them: v1alpha1 < v1beta1 < v1beta2 < v1 < v2alpha1. False for what is not such a name. */
bool versions_is_older(struct str version, struct str than);
