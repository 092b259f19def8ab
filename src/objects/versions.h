/*
 * Manifests with an older version of their kind's API. Upjet's providers serve several versions and convert them; here only one
 * is served.
 */
#pragma once

#include "controller/kinds.h"

/* Converts the manifest to the served version; returns it unchanged if it has that version, or an unknown one. */
const struct json *versions_upgrade(struct kinds *kinds, const struct kind *kind, struct arena *a, const struct json *manifest);
