/* Manifests of an older version of their kind's API. Providers made by Upjet serve several, and convert; here one is served. */
#pragma once

#include "controller/kinds.h"

/* The manifest as the version that is served has it; the same one when it is of that version, or of none that is older. */
const struct json *versions_upgrade(struct kinds *kinds, const struct kind *kind, struct arena *a, const struct json *manifest);
