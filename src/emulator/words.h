/*
 * The service's words for what is under way, as its clients read them. The provider has its own (cloudcontrol/api.h): if the two
 * shared them, a mistake in one would be right in the other.
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

/* A text from outside for a message that printf makes, which would end at a NUL: such bytes are written as \u0000. */
struct str emulator_shown(struct arena *a, struct str text);

/* ErrorCode of an operation that failed, by number from 0; NULL: there are no more. */
const char *emulator_error_code(size_t i);
