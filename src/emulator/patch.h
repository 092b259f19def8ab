/*
 * JSON Patch (RFC 6902), as the service applies it: all six operations, in order, all or none.
 *
 * The provider, which makes patches, applies them too, to check itself (cloudcontrol/patch.h). This is code of its own on
 * purpose: what both understood wrongly in the same way no test would find.
 */
#pragma once

#include "base/json.h"

/* Bounds: operations; values that may be made; members and elements that may be looked at or moved. */
enum { EMULATOR_PATCH_OPS = 10000, EMULATOR_PATCH_VALUES = 1 << 20, EMULATOR_PATCH_WORK = 64 << 20 };

/* NULL and what is wrong, with the operation's number; the document is never changed. */
const struct json *emulator_patch(struct arena *a, const struct json *document, const struct json *patch,
                                  struct str *ret_problem);
