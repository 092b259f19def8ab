/*
 * The service's names of operations, statuses and errors. The provider intentionally has its own copy (cloudcontrol/api.h): a
 * mistake in shared code would match on both sides, and no test would find it.
 */
#pragma once

#include "base/arena.h"

enum emulator_operation { EMULATOR_OP_UNKNOWN, EMULATOR_OP_CREATE, EMULATOR_OP_UPDATE, EMULATOR_OP_DELETE };
const char *emulator_operation_name(enum emulator_operation operation); /* "CREATE"; NULL: UNKNOWN */
enum emulator_operation emulator_operation_named(struct str name);

enum emulator_status {
    EMULATOR_STATUS_UNKNOWN,
    EMULATOR_STATUS_PENDING,
    EMULATOR_STATUS_IN_PROGRESS,
    EMULATOR_STATUS_SUCCESS,
    EMULATOR_STATUS_FAILED,
    EMULATOR_STATUS_CANCEL_IN_PROGRESS,
    EMULATOR_STATUS_CANCEL_COMPLETE,
};
const char *emulator_status_name(enum emulator_status status); /* "IN_PROGRESS"; NULL: UNKNOWN */
enum emulator_status emulator_status_named(struct str name);
bool emulator_status_is_final(enum emulator_status status);

/* Makes an untrusted string safe for a printf message, which would end at a NUL byte: writes NUL as \u0000. */
struct str emulator_shown(struct arena *a, struct str text);

/* The i-th ErrorCode of a failed operation, from 0; NULL at the end. */
const char *emulator_error_code(size_t i);
