/*
 * JSON Patch (RFC 6902), as the service applies it: all six operations, in order, all or none.
 *
 * The provider, which makes patches, also applies them to check itself (cloudcontrol/patch.h). This is intentionally separate
 * code: no test would find a mistake in code that both sides share.
 */
#pragma once

#include "base/json.h"

/* Limits: operations; values created; members and elements visited or moved. */
enum { EMULATOR_PATCH_OPS = 10000, EMULATOR_PATCH_VALUES = 1 << 20, EMULATOR_PATCH_WORK = 64 << 20 };

/* NULL and a message with the number of the failed operation. Never modifies `document`. */
const struct json *emulator_patch(struct arena *a, const struct json *document, const struct json *patch,
                                  struct str *ret_problem);
